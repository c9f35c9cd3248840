//! Emulations: real IP stacks on the simulated air. Only on Linux.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use multihop_emu as emu;
use multihop_proto::units::Dur;
use multihop_sim::network::Handle;
use pyo3::prelude::*;

use crate::capture;
use crate::error::engine_error;
use crate::resolved::Resolved;
use crate::result::Run;

/// Adds what emulations need.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Emulation>()?;
    module.add_class::<Deployed>()?;
    module.add_function(wrap_pyfunction!(emulated, module)?)?;
    module.add_function(wrap_pyfunction!(enter, module)?)?;
    module.add_function(wrap_pyfunction!(isolate, module)?)
}

/// An emulation under way.
#[pyclass(frozen, module = "multihop._engine")]
pub(crate) struct Emulation {
    nodes: Vec<emu::Node>,
    handle: Handle,
    inner: Mutex<Option<Inner>>,
}

struct Inner {
    emulation: emu::Emulation,
    files: Option<capture::Files>,
    made: Instant,
}

#[pymethods]
impl Emulation {
    #[new]
    #[pyo3(signature = (scenario, run, bound, capture, kick=None, tap=false))]
    fn new(
        scenario: &Resolved,
        run: u64,
        bound: f64,
        capture: Option<(PathBuf, u64)>,
        kick: Option<f64>,
        tap: bool,
    ) -> PyResult<Self> {
        let made = clock();
        let (bound, kick) = (Dur::from_secs_f64(bound), kick.map(Dur::from_secs_f64));
        let options = emu::Options { bound, kick, device: device(tap) };
        let mut emulation = emu::Emulation::new((*scenario.0).clone(), run, options).map_err(engine_error)?;
        let mut files = None;
        if let Some((folder, limit)) = capture {
            let (tap, opened) = capture::open(&scenario.0, &folder, limit).map_err(engine_error)?;
            emulation.set_tap(Box::new(tap));
            files = Some(opened);
        }
        let nodes = emulation.nodes();
        Ok(Self {
            nodes,
            handle: Handle::default(),
            inner: Mutex::new(Some(Inner { emulation, files, made })),
        })
    }

    #[getter]
    fn nodes(&self) -> Vec<(String, i32, String)> {
        let text = |address: [u8; 4]| std::net::Ipv4Addr::from(address).to_string();
        self.nodes.iter().map(|node| (node.name.clone(), node.namespace, text(node.address))).collect()
    }

    #[getter]
    fn reached_s(&self) -> f64 {
        self.handle.reached.load(Ordering::Relaxed) as f64 * 1e-9
    }

    fn run(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| match self.lock().as_mut() {
            Some(inner) => inner.emulation.run(&self.handle),
            None => Err("the emulation is over".to_owned()),
        })
        .map_err(engine_error)
    }

    fn stop(&self) {
        self.handle.cancelled.store(true, Ordering::Relaxed);
    }

    fn finish(&self, py: Python<'_>) -> PyResult<Run> {
        let finished = py.detach(|| -> Result<_, String> {
            let inner = self.lock().take().ok_or("the emulation is over")?;
            let mut output = inner.emulation.finish()?;
            if let Some(files) = inner.files {
                files.name()?;
            }
            output.set_wall(inner.made.elapsed().as_secs_f64(), 0.0);
            Ok(output)
        });
        finished.map(|output| Run(Box::new(output))).map_err(engine_error)
    }
}

impl Emulation {
    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Inner>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// See [`emu::Deployed`].
#[pyclass(module = "multihop._engine", unsendable)]
pub(crate) struct Deployed(emu::Deployed);

#[pymethods]
impl Deployed {
    #[new]
    fn new(scenario: &Resolved, mark: u32) -> PyResult<Self> {
        emu::Deployed::new(&scenario.0.config.shim, mark).map(Self).map_err(engine_error)
    }

    #[getter]
    fn device(&self) -> PyResult<u32> {
        self.0.device().map_err(engine_error)
    }

    fn work(&mut self, seconds: f64) -> PyResult<()> {
        self.0.work(Dur::from_secs_f64(seconds)).map_err(engine_error)
    }

    fn counts(&self) -> BTreeMap<&'static str, u64> {
        self.0.counts()
    }

    fn finish(&mut self) -> PyResult<usize> {
        self.0.finish().map_err(engine_error)
    }
}

/// See [`emu::prepare`].
#[pyfunction]
#[pyo3(signature = (scenario, seconds, pairs, tap=false))]
fn emulated(
    scenario: &Resolved,
    seconds: Option<f64>,
    pairs: Vec<(String, String)>,
    tap: bool,
) -> PyResult<Resolved> {
    let wanted = emu::Wanted { seconds, pairs, device: device(tap) };
    emu::prepare(&scenario.0, &wanted).map(|scenario| Resolved(Arc::new(scenario))).map_err(engine_error)
}

const fn device(tap: bool) -> emu::Device {
    if tap { emu::Device::Tap } else { emu::Device::Tun }
}

/// See [`emu::enter`].
#[pyfunction]
fn enter(path: &str) -> PyResult<()> {
    Ok(emu::enter(path)?)
}

/// See [`emu::isolate`].
#[pyfunction]
fn isolate(seen: bool) -> PyResult<()> {
    Ok(emu::isolate(seen)?)
}

// Wall time is measured here, at the edge.
#[allow(clippy::disallowed_methods)]
fn clock() -> Instant {
    Instant::now()
}
