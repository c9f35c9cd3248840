//! What suites of scenarios that are drawn at random share: which numbers are run, dice, and the same twice.
//!
//! `MULTIHOP_SCENARIOS` says how many, `MULTIHOP_SEED` the number of the first: a failure names its number.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{Case, Outcome, on_threads};
use multihop_proto::units::{Entity, Purpose, Rng};

/// Draws.
pub(crate) struct Dice(Rng);

impl Dice {
    /// Those of a scenario; suites with other streams draw other scenarios.
    pub(crate) fn new(number: u64, stream: u64) -> Self {
        Self(Rng::stream(number, stream, Entity::Whole, Purpose::Traffic))
    }

    /// A whole number below `count`.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        self.0.below(count as u32) as usize // a handful
    }

    /// A share from 0 to 1.
    pub(crate) fn share(&mut self) -> f64 {
        self.0.f64()
    }

    pub(crate) fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    pub(crate) fn of<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }
}

/// The numbers of the scenarios that are run: `few` of them by default.
#[allow(clippy::disallowed_methods, reason = "which scenarios is said outside of them")]
pub(crate) fn numbers(few: u64) -> Range<u64> {
    let number =
        |name: &str, default| std::env::var(name).map_or(default, |text| text.parse().expect("a number"));
    let from = number("MULTIHOP_SEED", 1);
    from..from + number("MULTIHOP_SCENARIOS", few)
}

/// Looks at each of the scenarios, on two threads, in no order.
pub(crate) fn each<R: Send>(numbers: &Range<u64>, look: impl Fn(u64) -> R + Send + Sync) -> Vec<R> {
    let shares = (0..2).map(|thread| (numbers.start + thread..numbers.end).step_by(2));
    on_threads(shares, |share| share.map(&look).collect::<Vec<_>>()).into_iter().flatten().collect()
}

/// Fails if `judge` finds something wrong with any of the scenarios.
pub(crate) fn all(few: u64, judge: impl Fn(u64) -> Option<String> + Send + Sync) {
    let numbers = numbers(few);
    fine(&numbers, &each(&numbers, judge).into_iter().flatten().collect::<Vec<_>>());
}

/// Fails if there is a fault.
pub(crate) fn fine(numbers: &Range<u64>, faults: &[String]) {
    let count = numbers.end - numbers.start;
    assert!(faults.is_empty(), "{} of {count} fail:\n\n{}", faults.len(), faults.join("\n\n"));
}

/// Runs a scenario as `watched` does, and once more by itself; what is wrong, if anything is.
pub(crate) fn twice(
    number: u64,
    case: &Case,
    watched: impl FnOnce() -> (Outcome, Option<String>),
) -> Option<String> {
    let said = |what: &str| Some(said(number, what, &case.text()));
    let once = catch_unwind(AssertUnwindSafe(watched));
    match (once, catch_unwind(AssertUnwindSafe(|| case.run(1)))) {
        (Ok((once, wrong)), Ok(again)) if once.json == again.json => wrong.and_then(|wrong| said(&wrong)),
        (Ok(_), Ok(_)) => said("not the same twice"),
        _ => said("panicked"),
    }
}

/// A fault of a scenario, with what repeats it.
pub(crate) fn said(number: u64, what: &str, text: &str) -> String {
    format!("MULTIHOP_SEED={number}: {what}\n{text}")
}
