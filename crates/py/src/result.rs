//! Results.

use multihop_sim::probe::{Column, RunOutput};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// One finished run.
#[pyclass(frozen, module = "multihop._engine")]
pub(crate) struct Run(pub(crate) Box<RunOutput>);

#[pymethods]
impl Run {
    #[getter]
    fn json(&self) -> &str {
        &self.0.json
    }

    #[getter]
    fn series<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let tables = PyDict::new(py);
        for (name, table) in &self.0.series {
            let columns = PyDict::new(py);
            for (column, values) in table {
                match values {
                    Column::Float(values) => columns.set_item(column, PyArray1::from_slice(py, values))?,
                    Column::Int(values) => columns.set_item(column, PyArray1::from_slice(py, values))?,
                }
            }
            tables.set_item(name, columns)?;
        }
        Ok(tables)
    }
}
