//! The files that come with the program.

use include_dir::{Dir, include_dir};

static PROFILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../profiles");
static TECHNIQUES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../techniques");
static SCENARIOS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../scenarios");

/// A kind of shipped file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Sets of defaults.
    Profiles,
    /// Overlays.
    Techniques,
    /// Ready scenarios.
    Scenarios,
}

/// Name (without `.toml`) and text of all shipped files of a kind, by name.
#[must_use]
pub fn shipped(kind: Kind) -> Vec<(&'static str, &'static str)> {
    let folder = match kind {
        Kind::Profiles => &PROFILES,
        Kind::Techniques => &TECHNIQUES,
        Kind::Scenarios => &SCENARIOS,
    };
    let mut files: Vec<_> = folder
        .files()
        .filter_map(|file| Some((file.path().to_str()?.strip_suffix(".toml")?, file.contents_utf8()?)))
        .collect();
    files.sort_unstable();
    files
}

/// The text of one shipped file, or the names there are.
pub(super) fn find(kind: Kind, name: &str) -> Result<&'static str, Vec<&'static str>> {
    let files = shipped(kind);
    match files.iter().find(|file| file.0 == name) {
        Some(file) => Ok(file.1),
        None => Err(files.into_iter().map(|file| file.0).collect()),
    }
}
