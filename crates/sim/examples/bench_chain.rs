//! The reference chain without Python, for timing: `bench_chain HOPS SECONDS [SEED] [KEY=VALUE]...`. In place of HOPS
//! may stand a file of motion in setdest's form, for its nodes, and over AODV the flows of the file `.flows` beside it
//! (`source:destination:start`, with commas between them); or `crowd`, for a thousand moving nodes and forty flows over
//! AODV; or the file of a scenario, over a Flexible Radio Network for one, measured from the start and without series.
//!
//! Prints one JSON object: goodput, frames, events and the CPU time of the run loop.

use std::path::Path;
use std::process::ExitCode;

use multihop_sim::network::{Ended, Handle, run};
use multihop_sim::resolve_with;
use multihop_sim::scenario::{Layer, Sources};

/// The scenario without what all have.
fn network(case: &str) -> Result<String, String> {
    let flow = |from, to| format!("[[flow]]\nfrom = \"{from}\"\nto = \"{to}\"\n");
    if case.ends_with(".tcl") {
        return moving(case);
    }
    if case == "crowd" {
        let flows: String = (0..40).map(|index| flow(2 * index, 2 * index + 1)).collect();
        let topology =
            "kind = \"random\", nodes = 1000, width = \"6708 m\", height = \"2683 m\", connected = false";
        let mobility = "kind = \"random-waypoint\", min-speed = \"1 m/s\", max-speed = \"10 m/s\"";
        return Ok(format!("topology = {{ {topology} }}\nmobility = {{ {mobility} }}\n{AODV}{flows}"));
    }
    let hops: u32 = case.parse().map_err(|_| format!("{case}: how many hops?"))?;
    let chain = format!("topology = {{ kind = \"chain\", hops = {hops}, spacing = \"200 m\" }}\n");
    Ok(chain + &flow(0, hops))
}

const AODV: &str = "routing = { kind = \"aodv\" }\n";

/// Nodes that move as a file says.
fn moving(file: &str) -> Result<String, String> {
    let flows = read(&Path::new(file).with_extension("flows"))?;
    let topology = format!("topology = {{ kind = \"explicit\", file = \"{file}\" }}\n{AODV}");
    flows.trim().split(',').try_fold(topology, |text, flow| {
        let [from, to, start] = flow.split(':').collect::<Vec<_>>()[..] else {
            return Err(format!("{flow}: source:destination:start is expected"));
        };
        Ok(text + &format!("[[flow]]\nfrom = \"{from}\"\nto = \"{to}\"\nstart = \"{start} s\"\n"))
    })
}

#[allow(clippy::disallowed_methods, reason = "the example is an edge")]
fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// The run's JSON object; none if it was cancelled.
fn simulate(mut arguments: impl Iterator<Item = String>) -> Result<Option<String>, String> {
    let case = arguments.next().unwrap_or_else(|| "7".to_owned());
    let seconds: f64 = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(200.0);
    let seed = arguments.next().unwrap_or_else(|| "1".to_owned());
    if case.ends_with(".toml") {
        let sets = [format!("run.duration=\"{seconds} s\""), format!("run.seed={seed}")];
        let more = ["measure.sample=\"0 s\"", "measure.warm-up=\"0 s\""].map(str::to_owned);
        return finish(
            &case,
            read(Path::new(&case))?,
            sets.into_iter().chain(more).chain(arguments).collect(),
        );
    }
    let text = format!(
        "profile = \"ns2\"\n{}\
         [run]\nduration = \"{seconds} s\"\nseed = {seed}\n\
         [measure]\nsample = \"0 s\"\n\
         [mac]\nkind = \"dcf\"\ndata-rate = \"2 Mbps\"\n\
         [tcp]\nmax-window = 40\n",
        network(&case)?
    );
    finish("bench", text, arguments.collect())
}

/// Runs a scenario.
fn finish(name: &str, text: String, sets: Vec<String>) -> Result<Option<String>, String> {
    let scenario = Layer { name: name.to_owned(), text };
    let sources = Sources { scenario, techniques: Vec::new(), sets };
    let resolved =
        resolve_with(&sources, &|path| read(Path::new(path))).map_err(|error| error.to_string())?;
    match run(&resolved, 1, &Handle::default(), None)? {
        Ended::Done(output) => Ok(Some(output.json)),
        Ended::Cancelled => Ok(None),
    }
}

fn main() -> ExitCode {
    match simulate(std::env::args().skip(1)) {
        Ok(Some(json)) => {
            println!("{json}");
            ExitCode::SUCCESS
        }
        Ok(None) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}
