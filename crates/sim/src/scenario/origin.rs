//! Where values come from.

use std::fmt;
use std::sync::Arc;

/// Where a layer comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LayerSource {
    /// A shipped profile, by name.
    Profile(String),
    /// What a standard of 802.11 brings, by its name.
    Standard(&'static str),
    /// The scenario file, as named by the user.
    File(String),
    /// An overlay: its label, and its file.
    Technique { label: String, file: String },
    /// A `--set` option, as written.
    Set(String),
}

impl LayerSource {
    /// What errors call it.
    pub(super) fn file(&self) -> String {
        match self {
            Self::Profile(name) => format!("profiles/{name}.toml"),
            Self::Standard(name) => format!("mac.standard = \"{name}\""),
            Self::File(file) | Self::Technique { file, .. } => file.clone(),
            Self::Set(text) => format!("--set {text}"),
        }
    }
}

/// A place in a layer; line and column count from 1, 0 means none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Origin {
    pub(super) source: Arc<LayerSource>,
    pub(super) line: u32,
    pub(super) column: u32,
}

impl Origin {
    pub(super) fn whole(source: &Arc<LayerSource>) -> Self {
        Self { source: Arc::clone(source), line: 0, column: 0 }
    }
}

/// What the resolved scenario says of a value: `profile ns2`, `file chain.toml:12:3`, `technique drr`.
impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.source {
            LayerSource::Profile(name) => write!(f, "profile {name}"),
            LayerSource::Standard(name) => write!(f, "standard {name}"),
            LayerSource::File(file) => write!(f, "file {file}:{}:{}", self.line, self.column),
            LayerSource::Technique { label, .. } => write!(f, "technique {label}"),
            LayerSource::Set(_) => f.write_str("--set"),
        }
    }
}
