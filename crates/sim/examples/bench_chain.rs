//! The reference chain without Python, for timing: `bench_chain HOPS SECONDS [SEED] [KEY=VALUE]...`.
//!
//! Prints one JSON object: goodput, frames, events and the CPU time of the run loop.

use std::process::ExitCode;

use multihop_sim::network::{Control, Run, run};
use multihop_sim::scenario::{Layer, Sources, resolve};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let hops = arguments.next().unwrap_or_else(|| "7".to_owned());
    let seconds: f64 = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(200.0);
    let seed = arguments.next().unwrap_or_else(|| "1".to_owned());
    let text = format!(
        "profile = \"ns2\"\n\
         [run]\nduration = \"{seconds} s\"\nseed = {seed}\n\
         [measure]\nsample = \"0 s\"\n\
         [topology]\nkind = \"chain\"\nhops = {hops}\nspacing = \"200 m\"\n\
         [mac]\nkind = \"dcf\"\ndata-rate = \"2 Mbps\"\n\
         [tcp]\nmax-window = 40\n\
         [[flow]]\nfrom = \"0\"\nto = \"{hops}\"\n"
    );
    let sources = Sources {
        scenario: Layer { name: "bench".to_owned(), text },
        techniques: Vec::new(),
        sets: arguments.collect(),
    };
    let outcome = resolve(&sources)
        .map_err(|error| error.to_string())
        .and_then(|resolved| run(&resolved, 1, &Control::default(), None));
    match outcome {
        Ok(Run::Done(output)) => {
            println!("{}", output.json);
            ExitCode::SUCCESS
        }
        Ok(Run::Cancelled) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}
