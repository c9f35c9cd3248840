//! Errors and remarks about values of a scenario, each with the place in the file where the value stands.

use super::error::ScenarioError;
use super::tree::{LayerSource, Origin};
use multihop_proto::units::range::{Checked, What, Wrong};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Where each value of a scenario stands: it builds errors and remarks that say so.
pub(crate) struct Locator<'a> {
    places: &'a BTreeMap<String, Origin>,
    file: Origin,
}

/// Whether a path leads into what another one stands for.
fn is_inside(path: &str, outer: &str) -> bool {
    path.strip_prefix(outer).is_some_and(|rest| rest.starts_with('.'))
}

impl<'a> Locator<'a> {
    pub(super) fn new(places: &'a BTreeMap<String, Origin>, file: &Arc<LayerSource>) -> Self {
        Self { places, file: Origin::whole(file) }
    }

    /// An error at the value with this path, or at what holds it if it was never written.
    pub(crate) fn error(
        &self,
        path: &str,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> ScenarioError {
        let mut at = path;
        let origin = loop {
            match (self.places.get(at), at.rfind('.')) {
                (Some(origin), _) => break origin,
                (None, Some(dot)) => at = &at[..dot],
                (None, None) => break &self.file,
            }
        };
        ScenarioError::at(origin, message).key(path).help(help)
    }

    /// A remark about the value with this path, with its place.
    pub(crate) fn remark(&self, path: &str, what: impl Into<String>) -> String {
        ScenarioError { help: None, ..self.error(path, what, "") }.to_string()
    }

    /// Whether any layer says this value.
    pub(crate) fn is_said(&self, path: &str) -> bool {
        self.places.contains_key(path)
    }

    /// Whether the scenario file or `--set` says this value, not a profile or a technique.
    fn is_own(&self, path: &str) -> bool {
        let own = |it: &Origin| matches!(*it.source, LayerSource::File(_) | LayerSource::Set(_));
        self.places.get(path).is_some_and(own)
    }

    /// The values under a prefix that the scenario file or `--set` says, by path.
    pub(crate) fn own_under(&self, prefix: &str) -> impl Iterator<Item = &'a str> {
        let places: &'a BTreeMap<String, Origin> = self.places;
        let whole = |path: &&str| !places.keys().any(|other| is_inside(other, path));
        let under = places.keys().map(String::as_str).filter(|path| is_inside(path, prefix));
        under.filter(|path| self.is_own(path)).filter(whole)
    }

    /// Whether the user chose this value: in the file, by `--set`, or by the name of a technique.
    fn is_chosen(&self, path: &str) -> bool {
        self.places
            .get(path)
            .is_some_and(|it| !matches!(*it.source, LayerSource::Profile(_) | LayerSource::Standard(_)))
    }

    /// The first value named in a text that the scenario file or `--set` says.
    fn named_own<'m>(&self, text: &'m str) -> Option<&'m str> {
        text.split('`').skip(1).step_by(2).find(|path| self.is_own(path))
    }

    /// What is wrong in a section, with its place in the file: of two values that do not go together, the place of the
    /// one that the user chose.
    pub(crate) fn section(&self, name: &str, checked: Checked) -> Result<(), ScenarioError> {
        checked.map_err(|Wrong { key, what, help }| {
            let path = format!("{name}.{key}");
            let message = match what {
                What::Is(value) => format!("`{path}` is {value}"),
                What::Says(what) => what,
            };
            let named = self.named_own(&message).or_else(|| self.named_own(&help));
            let place = named.filter(|_| !self.is_chosen(&path)).unwrap_or(&path);
            self.error(place, &message, &help)
        })
    }
}
