//! Runs on threads of their own, watched from Python.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use multihop_sim::network::{Ended, Handle, Network, finish};
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
    /// Where to write captures, and how many bytes of them.
    capture: Option<(PathBuf, u64)>,
    handle: Handle,
}

/// What the threads and Python share.
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    /// Results that may wait to be taken before no further run is begun: memory stays bounded.
    room: usize,
}

/// What became of a job: its output, nothing if it was cancelled, or what went wrong.
type Outcome = Result<Option<Box<RunOutput>>, String>;

#[derive(Default)]
struct State {
    waiting: VecDeque<(usize, Arc<Job>)>,
    running: Vec<(usize, Arc<Job>)>,
    results: VecDeque<(usize, Outcome)>,
    added: usize,
    closed: bool,
}

/// Runs under way.
#[pyclass(frozen, module = "multihop._engine")]
pub(crate) struct Batch(Arc<Shared>);

#[pymethods]
impl Batch {
    #[getter]
    fn finished(&self) -> bool {
        let state = self.0.lock();
        state.closed && state.idle() && state.results.is_empty()
    }

    #[getter]
    fn wanted(&self) -> usize {
        let state = self.0.lock();
        if state.closed { 0 } else { self.0.room.saturating_sub(state.waiting.len()) }
    }

    #[pyo3(signature = (resolved, run, capture, limit = u64::MAX))]
    fn add(&self, resolved: &Resolved, run: u64, capture: Option<PathBuf>, limit: u64) -> usize {
        let capture = capture.map(|folder| (folder, limit));
        let job = Job { scenario: Arc::clone(&resolved.0), run, capture, handle: Handle::default() };
        let mut state = self.0.lock();
        let index = state.added;
        state.added += 1;
        if !state.closed {
            state.waiting.push_back((index, Arc::new(job)));
        }
        drop(state);
        self.0.changed.notify_all();
        index
    }

    fn close(&self) {
        self.0.lock().closed = true;
        self.0.changed.notify_all();
    }

    fn wait(&self, py: Python<'_>, seconds: f64) {
        let patience = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
        py.detach(|| {
            let state = self.0.lock();
            let waits = |state: &mut State| state.results.is_empty() && !state.idle();
            drop(self.0.changed.wait_timeout_while(state, patience, waits));
        });
    }

    fn take(&self) -> PyResult<Vec<(usize, Run)>> {
        let mut state = self.0.lock();
        let mut taken = Vec::with_capacity(state.results.len());
        while let Some((index, result)) = state.results.pop_front() {
            match result {
                Ok(Some(output)) => taken.push((index, Run(output))),
                Ok(None) => {}
                Err(message) if taken.is_empty() => return Err(engine_error(message)),
                failed @ Err(_) => {
                    // What has finished is taken first; the next call tells what went wrong.
                    state.results.push_front((index, failed));
                    break;
                }
            }
        }
        drop(state);
        self.0.changed.notify_all();
        Ok(taken)
    }

    fn progress(&self) -> Vec<(usize, f64)> {
        let fraction = |job: &Job| {
            job.handle.reached.load(Ordering::Relaxed) as f64 / job.scenario.end().as_ns().max(1) as f64
        };
        self.0.lock().running.iter().map(|(index, job)| (*index, fraction(job))).collect()
    }

    fn cancel(&self) {
        let mut state = self.0.lock();
        state.closed = true;
        state.waiting.clear();
        for (_, job) in &state.running {
            job.handle.cancelled.store(true, Ordering::Relaxed);
        }
        drop(state);
        self.0.changed.notify_all();
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        self.cancel();
    }
}

impl State {
    fn idle(&self) -> bool {
        self.waiting.is_empty() && self.running.is_empty()
    }
}

impl Shared {
    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A thread's work: jobs until none will come.
    fn work(&self) {
        while let Some((index, job)) = self.next_job() {
            let result = job.work();
            let mut state = self.lock();
            state.running.retain(|(running, _)| *running != index);
            state.results.push_back((index, result));
            drop(state);
            self.changed.notify_all();
        }
    }

    /// Waits for a job and for room for its result; none if no more will come.
    fn next_job(&self) -> Option<(usize, Arc<Job>)> {
        let nothing_yet = |state: &mut State| {
            let full = state.results.len() >= self.room && !state.waiting.is_empty();
            full || (state.waiting.is_empty() && !state.closed)
        };
        let state = self.changed.wait_while(self.lock(), nothing_yet);
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        let (index, job) = state.waiting.pop_front()?;
        state.running.push((index, Arc::clone(&job)));
        Some((index, job))
    }
}

impl Job {
    /// Makes the run. A panic is a fault of the engine: it ends the run, not the interpreter.
    fn work(&self) -> Outcome {
        if self.handle.cancelled.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let started = clock();
        let made = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| self.simulate()));
        let (mut output, ready) = match made {
            Ok(Ok((Ended::Done(output), ready))) => (output, ready),
            Ok(Ok((Ended::Cancelled, _))) => return Ok(None),
            Ok(Err(message)) => return Err(message),
            Err(_) => {
                return Err(format!("run {} failed: the engine has a fault; its message is above", self.run));
            }
        };
        output.set_wall(started.elapsed().as_secs_f64(), (ready - started).as_secs_f64());
        Ok(Some(output))
    }

    /// Runs the engine, captured if that is asked for; says when the network had been set up.
    fn simulate(&self) -> Result<(Ended, Instant), String> {
        let mut network = Network::new(&self.scenario, self.run);
        let mut files = None;
        if let Some((folder, limit)) = &self.capture {
            let (tap, opened) = capture::open(&self.scenario, folder, *limit)?;
            network.set_tap(Box::new(tap));
            files = Some(opened);
        }
        let ready = clock();
        let ended = finish(network, &self.scenario, self.run, &self.handle)?;
        if let (Ended::Done(_), Some(files)) = (&ended, files) {
            files.name()?;
        }
        Ok((ended, ready))
    }
}

// Wall time is measured here, at the edge: the engine itself knows no clock.
#[allow(clippy::disallowed_methods)]
fn clock() -> Instant {
    Instant::now()
}

#[pyfunction]
#[pyo3(signature = (jobs, threads, more = false))]
pub(crate) fn start(jobs: Vec<(Py<Resolved>, u64, Option<PathBuf>)>, threads: usize, more: bool) -> Batch {
    let threads = threads.max(1);
    let threads = if more { threads } else { threads.min(jobs.len().max(1)) };
    let shared = Arc::new(Shared {
        state: Mutex::default(),
        changed: Condvar::new(),
        room: threads.saturating_mul(2),
    });
    let batch = Batch(Arc::clone(&shared));
    for (resolved, run, capture) in jobs {
        batch.add(resolved.get(), run, capture, u64::MAX);
    }
    if !more {
        batch.close();
    }
    for _ in 0..threads {
        let shared = Arc::clone(&shared);
        // Runs share nothing, so threads cannot change a result.
        #[allow(clippy::disallowed_methods)]
        drop(std::thread::spawn(move || shared.work()));
    }
    batch
}
