//! Errors as Python exceptions: the one place where they are made.

use multihop_sim::scenario;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

pyo3::create_exception!(
    _engine,
    ScenarioError,
    PyValueError,
    "A scenario or an overlay that cannot be used."
);
pyo3::create_exception!(_engine, EngineError, PyRuntimeError, "A run that had to be given up.");

/// A scenario error with its place as attributes.
pub(crate) fn scenario_error(py: Python<'_>, error: &scenario::ScenarioError) -> PyErr {
    let exception = ScenarioError::new_err(error.to_string());
    let value = exception.value(py);
    let set = || -> PyResult<()> {
        value.setattr("file", &error.file)?;
        value.setattr("line", error.line)?;
        value.setattr("column", error.column)?;
        value.setattr("key", error.key.as_deref())
    };
    match set() {
        Ok(()) => exception,
        Err(failed) => failed,
    }
}

/// A fault of the engine.
pub(crate) fn engine_error(message: String) -> PyErr {
    EngineError::new_err(message)
}
