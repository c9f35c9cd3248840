//! The reference chain without Python, for timing: `bench_chain HOPS SECONDS [SEED] [KEY=VALUE]...`. With `grid` for
//! HOPS it is a grid of 20 x 20 nodes, with a transfer along every row and every column.
//!
//! Prints one JSON object: goodput, frames, events and the CPU time of the run loop.

use std::process::ExitCode;

use multihop_sim::network::{Ended, Handle, run};
use multihop_sim::scenario::{Layer, Sources, resolve};

/// Nodes on a side of the grid.
const SIDE: u32 = 20;

/// Topology and flows.
fn network(hops: &str) -> (String, String) {
    let flow = |from, to| format!("[[flow]]\nfrom = \"{from}\"\nto = \"{to}\"\n");
    if hops != "grid" {
        let chain = format!("topology = {{ kind = \"chain\", hops = {hops}, spacing = \"200 m\" }}");
        return (chain, flow("0".to_owned(), hops.to_owned()));
    }
    let node = |column: u32, row: u32| (row * SIDE + column).to_string();
    let along = (0..SIDE).map(|row| flow(node(0, row), node(SIDE - 1, row)));
    let across = (0..SIDE).map(|column| flow(node(column, 0), node(column, SIDE - 1)));
    let grid =
        format!("topology = {{ kind = \"grid\", columns = {SIDE}, rows = {SIDE}, spacing = \"200 m\" }}");
    (grid, along.chain(across).collect())
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let hops = arguments.next().unwrap_or_else(|| "7".to_owned());
    let seconds: f64 = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(200.0);
    let seed = arguments.next().unwrap_or_else(|| "1".to_owned());
    let (topology, flows) = network(&hops);
    let text = format!(
        "profile = \"ns2\"\n{topology}\n\
         [run]\nduration = \"{seconds} s\"\nseed = {seed}\n\
         [measure]\nsample = \"0 s\"\n\
         [mac]\nkind = \"dcf\"\ndata-rate = \"2 Mbps\"\n\
         [tcp]\nmax-window = 40\n\
         {flows}"
    );
    let sources = Sources {
        scenario: Layer { name: "bench".to_owned(), text },
        techniques: Vec::new(),
        sets: arguments.collect(),
    };
    let outcome = resolve(&sources)
        .map_err(|error| error.to_string())
        .and_then(|resolved| run(&resolved, 1, &Handle::default(), None));
    match outcome {
        Ok(Ended::Done(output)) => {
            println!("{}", output.json);
            ExitCode::SUCCESS
        }
        Ok(Ended::Cancelled) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}
