//! The Python module `multihop._engine`: convert, call, convert.

mod batch;
mod capture;
#[cfg(target_os = "linux")]
mod emulation;
mod error;
mod resolved;
mod result;

use pyo3::prelude::*;

#[pymodule]
fn _engine(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("BUILD", env!("MULTIHOP_BUILD"))?;
    module.add("PROFILE", env!("MULTIHOP_PROFILE"))?;
    module.add("VERSION", env!("CARGO_PKG_VERSION"))?;
    module.add("PACKET_KINDS", multihop_sim::probe::PACKET_KINDS)?;
    module.add("EVENT_KINDS", multihop_sim::probe::EVENT_KINDS)?;
    module.add("MPDU_CAUSES", multihop_sim::probe::mpdu_causes())?;
    module.add("CATEGORIES", multihop_sim::probe::CATEGORIES)?;
    module.add("ScenarioError", module.py().get_type::<error::ScenarioError>())?;
    module.add("EngineError", module.py().get_type::<error::EngineError>())?;
    module.add_class::<resolved::Resolved>()?;
    module.add_class::<batch::Batch>()?;
    module.add_class::<result::Run>()?;
    module.add_function(wrap_pyfunction!(resolved::resolve, module)?)?;
    module.add_function(wrap_pyfunction!(resolved::shipped, module)?)?;
    module.add_function(wrap_pyfunction!(resolved::places, module)?)?;
    module.add_function(wrap_pyfunction!(resolved::guess, module)?)?;
    module.add_function(wrap_pyfunction!(resolved::check_depth, module)?)?;
    module.add_function(wrap_pyfunction!(resolved::schema, module)?)?;
    module.add_function(wrap_pyfunction!(resolved::causes, module)?)?;
    module.add_function(wrap_pyfunction!(resolved::phases, module)?)?;
    module.add_function(wrap_pyfunction!(resolved::units, module)?)?;
    module.add_function(wrap_pyfunction!(resolved::figures, module)?)?;
    module.add_function(wrap_pyfunction!(batch::start, module)?)?;
    #[cfg(target_os = "linux")]
    emulation::register(module)?;
    Ok(())
}
