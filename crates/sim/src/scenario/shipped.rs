//! The files that come with the program.

use include_dir::{Dir, include_dir};

static PROFILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../profiles");
static TECHNIQUES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../techniques");
static SCENARIOS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../scenarios");
static STUDIES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../studies/reproductions");
static SWEEPS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../studies/sweeps");

/// A kind of shipped file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Sets of defaults.
    Profiles,
    /// Overlays.
    Techniques,
    /// Ready scenarios.
    Scenarios,
    /// Studies and their parts, in folders.
    Studies,
    /// Sweeps that name their scenario.
    Sweeps,
}

impl Kind {
    /// The kind with this plural name: `profiles`, `techniques`, `scenarios`, `studies`, `sweeps`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "profiles" => Some(Self::Profiles),
            "techniques" => Some(Self::Techniques),
            "scenarios" => Some(Self::Scenarios),
            "studies" => Some(Self::Studies),
            "sweeps" => Some(Self::Sweeps),
            _ => None,
        }
    }
}

/// Name (path in the kind's folder, without `.toml`) and text of all shipped files of a kind, by name.
#[must_use]
pub fn shipped(kind: Kind) -> Vec<(&'static str, &'static str)> {
    let folder = match kind {
        Kind::Profiles => &PROFILES,
        Kind::Techniques => &TECHNIQUES,
        Kind::Scenarios => &SCENARIOS,
        Kind::Studies => &STUDIES,
        Kind::Sweeps => &SWEEPS,
    };
    let mut files = Vec::new();
    collect(folder, &mut files);
    files.sort_unstable();
    files
}

fn collect(folder: &'static Dir<'static>, files: &mut Vec<(&'static str, &'static str)>) {
    files.extend(
        folder
            .files()
            .filter_map(|file| Some((file.path().to_str()?.strip_suffix(".toml")?, file.contents_utf8()?))),
    );
    folder.dirs().for_each(|inner| collect(inner, files));
}

/// The text of one shipped file, or the names there are.
pub(super) fn find(kind: Kind, name: &str) -> Result<&'static str, Vec<&'static str>> {
    let files = shipped(kind);
    match files.iter().find(|file| file.0 == name) {
        Some(file) => Ok(file.1),
        None => Err(files.into_iter().map(|file| file.0).collect()),
    }
}
