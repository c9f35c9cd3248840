//! What is wrong with a scenario, and where.

use super::origin::Origin;
use std::fmt;

/// A scenario, profile, overlay or setting that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioError {
    /// File, or what the user wrote on the command line.
    pub file: String,
    /// Line, from 1.
    pub line: Option<u32>,
    /// Column in characters, from 1.
    pub column: Option<u32>,
    /// Dotted path of the key, if one is concerned.
    pub key: Option<String>,
    /// What is wrong, and what was expected.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// A key that is not known, for which there is no help yet.
    pub(super) unknown: Option<Box<Unknown>>,
}

/// A key that a table does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unknown {
    /// The key.
    pub(super) key: String,
    /// Those that the table has.
    pub(super) known: Vec<&'static str>,
}

impl ScenarioError {
    /// An error at a place in a layer.
    pub(super) fn at(origin: &Origin, message: impl Into<String>) -> Self {
        let place = |number: u32| (number > 0).then_some(number);
        Self {
            file: origin.source.file(),
            line: place(origin.line),
            column: place(origin.column),
            key: None,
            message: message.into(),
            help: None,
            unknown: None,
        }
    }

    /// An error of something without lines: an option of the command line.
    #[must_use]
    pub fn of(what: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            file: what.into(),
            line: None,
            column: None,
            key: None,
            message: message.into(),
            help: None,
            unknown: None,
        }
    }

    pub(crate) fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// The error is that a table has no such key.
    pub(super) fn unknown(mut self, key: impl Into<String>, known: &[&'static str]) -> Self {
        self.unknown = Some(Box::new(Unknown { key: key.into(), known: known.to_vec() }));
        self
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let (Some(line), Some(column)) = (self.line, self.column) {
            write!(f, ":{line}:{column}")?;
        }
        write!(f, ": {}", self.message)?;
        if let Some(help) = &self.help {
            write!(f, "; {help}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ScenarioError {}

/// The candidate that a mistyped word most likely means, in whatever case it is written.
pub(super) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let allowed = (word.chars().count() / 3).max(2);
    let lower = word.to_lowercase();
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&lower, &candidate.to_lowercase()), candidate))
        .filter(|&(distance, candidate)| {
            distance <= allowed && distance < candidate.chars().count().min(word.chars().count())
        })
        .min()
        .map(|(_, candidate)| candidate)
}

/// "did you mean `x`?", or the list of what is known.
pub(super) fn suggestion(word: &str, candidates: &[&str]) -> String {
    match nearest(word, candidates.iter().copied()) {
        Some(name) => format!("did you mean `{name}`?"),
        None if candidates.is_empty() => "there are none".to_owned(),
        None => format!("known: {}", candidates.join(", ")),
    }
}
