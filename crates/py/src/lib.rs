//! The Python module `multihop._engine`: convert, call, convert.

use pyo3::prelude::*;

/// The engine of `multihop`.
#[pymodule]
mod _engine {
    /// Version of the engine, that of the package.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
