//! Runs on threads of their own, watched from Python.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use multihop_sim::network::{Control, Run as Ended, run};
use multihop_sim::probe::RunOutput;
use multihop_sim::scenario;
use pyo3::prelude::*;

use crate::capture;
use crate::error::engine_error;
use crate::resolved::Resolved;
use crate::result::Run;

/// One run to make.
struct Job {
    scenario: Arc<scenario::Resolved>,
    run: u64,
    capture: Option<PathBuf>,
    control: Control,
}

/// What the threads and Python share.
struct Shared {
    jobs: Vec<Job>,
    next: AtomicUsize,
    done: Mutex<Done>,
    changed: Condvar,
}

/// What became of a job: its output, nothing if it was cancelled, or what went wrong.
type Outcome = Result<Option<Box<RunOutput>>, String>;

#[derive(Default)]
struct Done {
    results: VecDeque<(usize, Outcome)>,
    ended: usize,
}

/// Runs under way.
#[pyclass(frozen, module = "multihop._engine")]
pub(crate) struct Batch(Arc<Shared>);

#[pymethods]
impl Batch {
    #[getter]
    fn finished(&self) -> bool {
        let done = self.0.lock();
        done.ended == self.0.jobs.len() && done.results.is_empty()
    }

    fn wait(&self, py: Python<'_>, seconds: f64) {
        let patience = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
        py.detach(|| {
            let done = self.0.lock();
            let waits = |done: &mut Done| done.results.is_empty() && done.ended < self.0.jobs.len();
            drop(self.0.changed.wait_timeout_while(done, patience, waits));
        });
    }

    fn take(&self) -> PyResult<Vec<(usize, Run)>> {
        let mut done = self.0.lock();
        let mut taken = Vec::new();
        while let Some((index, result)) = done.results.pop_front() {
            if let Some(output) = result.map_err(engine_error)? {
                taken.push((index, Run(output)));
            }
        }
        Ok(taken)
    }

    fn progress(&self) -> Vec<f64> {
        let fraction = |job: &Job| {
            job.control.reached.load(Ordering::Relaxed) as f64 / job.scenario.end().as_ns().max(1) as f64
        };
        self.0.jobs.iter().map(fraction).collect()
    }

    fn cancel(&self) {
        for job in &self.0.jobs {
            job.control.cancelled.store(true, Ordering::Relaxed);
        }
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        self.cancel();
    }
}

impl Shared {
    fn lock(&self) -> std::sync::MutexGuard<'_, Done> {
        self.done.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A thread's work: jobs until none is left.
    fn work(&self) {
        while let Some((index, job)) = self.next_job() {
            let result = job.work();
            let mut done = self.lock();
            done.results.push_back((index, result));
            done.ended += 1;
            drop(done);
            self.changed.notify_all();
        }
    }

    fn next_job(&self) -> Option<(usize, &Job)> {
        let index = self.next.fetch_add(1, Ordering::Relaxed);
        self.jobs.get(index).map(|job| (index, job))
    }
}

impl Job {
    /// Makes the run. A panic is a fault of the engine: it ends the run, not the interpreter.
    fn work(&self) -> Outcome {
        if self.control.cancelled.load(Ordering::Relaxed) {
            return Ok(None);
        }
        // Wall time is measured here, at the edge: the engine itself knows no clock.
        #[allow(clippy::disallowed_methods)]
        let started = Instant::now();
        let made = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| self.simulate()));
        let mut output = match made {
            Ok(Ok(Ended::Done(output))) => output,
            Ok(Ok(Ended::Cancelled)) => return Ok(None),
            Ok(Err(message)) => return Err(message),
            Err(_) => {
                return Err(format!("run {} failed: the engine has a fault; its message is above", self.run));
            }
        };
        output.set_wall(started.elapsed().as_secs_f64());
        Ok(Some(output))
    }

    /// Runs the engine, captured if that is asked for.
    fn simulate(&self) -> Result<Ended, String> {
        let Some(folder) = &self.capture else {
            return run(&self.scenario, self.run, &self.control, None);
        };
        let (tap, files) = capture::open(&self.scenario, folder)?;
        let ended = run(&self.scenario, self.run, &self.control, Some(Box::new(tap)))?;
        if let Ended::Done(_) = &ended {
            files.name()?;
        }
        Ok(ended)
    }
}

#[pyfunction]
pub(crate) fn start(
    py: Python<'_>,
    jobs: Vec<(Py<Resolved>, u64, Option<PathBuf>)>,
    threads: usize,
) -> Batch {
    let jobs = jobs
        .into_iter()
        .map(|(resolved, run, capture)| Job {
            scenario: Arc::clone(&resolved.borrow(py).0),
            run,
            capture,
            control: Control::default(),
        })
        .collect::<Vec<_>>();
    let threads = threads.clamp(1, jobs.len().max(1));
    let shared =
        Arc::new(Shared { jobs, next: AtomicUsize::new(0), done: Mutex::default(), changed: Condvar::new() });
    for _ in 0..threads {
        let shared = Arc::clone(&shared);
        // Runs share nothing, so threads cannot change a result.
        #[allow(clippy::disallowed_methods)]
        drop(std::thread::spawn(move || shared.work()));
    }
    Batch(shared)
}
