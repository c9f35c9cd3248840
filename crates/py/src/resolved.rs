//! Scenarios.

use std::collections::BTreeMap;
use std::io::{ErrorKind, Read};
use std::path::Path;
use std::sync::Arc;

use flate2::read::MultiGzDecoder;
use multihop_sim::check;
use multihop_sim::scenario::{self, Kind, Layer, Sources};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::error::scenario_error;

/// A scenario with every value settled.
#[pyclass(frozen, module = "multihop._engine")]
pub(crate) struct Resolved(pub(crate) Arc<scenario::Resolved>);

#[pymethods]
impl Resolved {
    #[getter]
    fn hash(&self) -> String {
        self.0.hash()
    }

    /// See [`check::ready`].
    fn ready(&self, py: Python<'_>) -> PyResult<()> {
        memory().and_then(|most| check::ready(&self.0, most)).map_err(|error| scenario_error(py, &error))
    }

    /// Bytes of memory that one run takes, bytes of its series, and bytes that its captures take at most.
    fn needs(&self) -> (u64, u64, u64) {
        let parts = check::memory(&self.0);
        let sum = parts.iter().fold(0_u64, |sum, part| sum.saturating_add(part.bytes));
        let series = parts.iter().filter(|part| part.what == "series").map(|part| part.bytes).sum();
        (sum, series, check::captured(&self.0))
    }

    fn json(&self) -> String {
        self.0.to_json()
    }

    /// See [`check::hearing`].
    fn hearing(&self, run: u64) -> String {
        check::hearing(&self.0, run)
    }

    fn toml(&self, py: Python<'_>) -> PyResult<String> {
        self.0.to_toml().map_err(|error| scenario_error(py, &error))
    }
}

/// Bytes that a run may take, unless `MULTIHOP_MEMORY` says otherwise.
const MEMORY: u64 = 2_000_000_000;

// The environment is read here, at the edge: the engine itself does not know it.
#[allow(clippy::disallowed_methods)]
fn memory() -> Result<u64, scenario::ScenarioError> {
    let Ok(text) = std::env::var("MULTIHOP_MEMORY") else { return Ok(MEMORY) };
    let number = text.trim().strip_suffix("GB").and_then(|number| number.trim().parse::<f64>().ok());
    match number {
        Some(number) if number > 0.0 => Ok((number * 1e9) as u64), // saturates
        _ => Err(scenario::ScenarioError::of(
            "MULTIHOP_MEMORY",
            format!("expected a size like 16 GB, not `{text}`"),
        )),
    }
}

/// Files are read here, at the edge, and expanded if they were compressed by gzip (RFC 1952), as BonnMotion does.
#[allow(clippy::disallowed_methods)]
fn read(path: &Path) -> Result<String, String> {
    let file = std::fs::File::open(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => "there is no such file".to_owned(),
        _ => error.to_string(),
    })?;
    let bytes = bounded(file, |error| error.to_string())?;
    let bytes = if bytes.starts_with(&GZIP) {
        bounded(MultiGzDecoder::new(bytes.as_slice()), |error| {
            format!("it is compressed, but not whole ({error})")
        })?
    } else {
        bytes
    };
    String::from_utf8(bytes).map_err(|_| "it is not text in UTF-8".to_owned())
}

/// Everything that a source has, if that is not too much: a device may be endless, and a compressed file hides its
/// size.
fn bounded(source: impl Read, reason: impl Fn(std::io::Error) -> String) -> Result<Vec<u8>, String> {
    let mut found = Vec::new();
    source.take(FILE_BYTES + 1).read_to_end(&mut found).map_err(reason)?;
    if found.len() as u64 > FILE_BYTES {
        return Err(format!("it has more than {} MB", FILE_BYTES / 1_000_000));
    }
    Ok(found)
}

/// Bytes of text that a file may have which a scenario names.
const FILE_BYTES: u64 = 256_000_000;

/// With what a file begins that was compressed by gzip.
const GZIP: [u8; 2] = [0x1f, 0x8b];

#[pyfunction]
pub(crate) fn resolve(
    py: Python<'_>,
    text: String,
    name: String,
    techniques: Vec<(String, Option<String>)>,
    sets: Vec<String>,
) -> PyResult<Resolved> {
    let sources = Sources { scenario: Layer { name, text }, techniques, sets };
    match multihop_sim::resolve_with(&sources, &read) {
        Ok(resolved) => Ok(Resolved(Arc::new(resolved))),
        Err(error) => Err(scenario_error(py, &error)),
    }
}

#[pyfunction]
pub(crate) fn places(py: Python<'_>, text: &str, file: &str) -> PyResult<Vec<(String, u32)>> {
    scenario::places(text, file).map_err(|error| scenario_error(py, &error))
}

#[pyfunction]
pub(crate) fn check_depth(py: Python<'_>, text: &str, file: &str) -> PyResult<()> {
    scenario::check_depth(text, file).map_err(|error| scenario_error(py, &error))
}

#[pyfunction]
pub(crate) fn shipped(kind: &str) -> PyResult<BTreeMap<String, String>> {
    let kind = match kind {
        "techniques" => Kind::Techniques,
        "scenarios" => Kind::Scenarios,
        "profiles" => Kind::Profiles,
        "studies" => Kind::Studies,
        "sweeps" => Kind::Sweeps,
        other => return Err(PyValueError::new_err(format!("nothing called {other:?} is shipped"))),
    };
    Ok(scenario::shipped(kind).into_iter().map(|(name, text)| (name.to_owned(), text.to_owned())).collect())
}

#[pyfunction]
pub(crate) fn guess(word: &str) -> (Vec<String>, &'static str) {
    let found = scenario::guess(word);
    (found.keys, found.note)
}

#[pyfunction]
pub(crate) fn schema() -> String {
    scenario::json_schema()
}

/// See [`multihop_proto::units::unit_worths`].
#[pyfunction]
pub(crate) fn units() -> BTreeMap<&'static str, BTreeMap<&'static str, f64>> {
    multihop_proto::units::unit_worths()
        .into_iter()
        .map(|(kind, units)| (kind, units.into_iter().collect()))
        .collect()
}

#[pyfunction]
pub(crate) fn causes() -> String {
    multihop_sim::probe::causes::described()
}

#[pyfunction]
pub(crate) fn phases() -> String {
    multihop_sim::probe::phases::described()
}

#[pyfunction]
pub(crate) fn figures() -> String {
    multihop_sim::probe::figures::described()
}
