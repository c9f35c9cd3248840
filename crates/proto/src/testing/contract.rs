//! What the contract suites share. A suite takes a machine through a script and says which rule of its contract the
//! machine broke. Every member of a set, a toy, and machines with a seeded fault go through the same suite.

use std::cell::Cell;
use std::fmt::Debug;

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

use crate::units::SimTime;

/// The result of a suite; the text of an error names the rule that was broken.
pub(crate) type Finding<T = ()> = Result<T, String>;

/// One configuration of one member of a set.
pub(crate) struct Member<Make> {
    /// The variant of the set.
    pub(crate) variant: &'static str,
    /// The name in the table of suites, `docs/architecture.md`.
    pub(crate) name: &'static str,
    /// Makes the machine.
    pub(crate) make: Make,
}

/// Lists the members of a set, by variant, and how each is made. The match has no other arm: a new variant does not
/// compile until it is listed. A variant that is a set itself has no members here.
macro_rules! members {
    ($set:ident => $make:ty { $($variant:ident { $($name:literal => $machine:expr),* $(,)? })+ }) => {
        fn variant_of(member: &$set) -> &'static str {
            match member {
                $($set::$variant { .. } => stringify!($variant),)+
            }
        }

        fn members() -> Vec<$crate::testing::Member<$make>> {
            vec![$($($crate::testing::Member { variant: stringify!($variant), name: $name, make: $machine },)*)+]
        }
    };
}
pub(crate) use members;

/// Ends a suite with an error unless a condition holds.
macro_rules! ensure {
    ($condition:expr, $($message:tt)+) => {{
        let holds: bool = $condition;
        if !holds {
            return Err(format!($($message)+));
        }
    }};
}
pub(crate) use ensure;

/// A machine's timer. Each request replaces the one before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Alarm {
    /// When it fires; `SimTime::MAX` when it is off.
    pub(crate) at: SimTime,
    /// Instant of the last request for that very instant, and how many there were.
    standing: (SimTime, u32),
}

impl Alarm {
    /// A timer that is off.
    pub(crate) const OFF: Self = Self { at: SimTime::MAX, standing: (SimTime::ZERO, 0) };

    /// The machine asks to be woken. Returns whether that changes anything.
    pub(crate) fn arm(&mut self, now: SimTime, at: SimTime) -> Finding<bool> {
        ensure!(at >= now, "timer in the past: {at}, and it is {now}");
        let count = if self.standing.0 == now { self.standing.1 } else { 0 };
        self.standing = (now, count + u32::from(at == now));
        ensure!(self.standing.1 < 100, "time stands still: 100 timers for {now}");
        Ok(std::mem::replace(&mut self.at, at) != at)
    }

    /// Takes the alarm off if it fires until an instant.
    pub(crate) fn take(&mut self, until: SimTime) -> Option<SimTime> {
        let due = self.at <= until && self.at < SimTime::MAX;
        due.then(|| std::mem::replace(&mut self.at, SimTime::MAX))
    }
}

thread_local! {
    static MADE: Cell<u32> = const { Cell::new(0) };
}

/// The number of a machine among those that this test has made. No machine may depend on it: a seeded fault does.
pub(crate) fn serial() -> u32 {
    MADE.replace(MADE.get() + 1)
}

/// Runs a suite twice on equal machines: equal inputs must give equal answers.
pub(crate) fn repeat<T: PartialEq>(run: impl Fn() -> Finding<T>) -> Finding<T> {
    let first = run()?;
    ensure!(run()? == first, "not repeatable: equal machines answer equal inputs differently");
    Ok(first)
}

/// Scripts of a strategy, the same in each run of the tests.
pub(crate) fn scripts<S: Strategy>(strategy: &S, count: usize) -> Vec<S::Value> {
    let mut runner = TestRunner::deterministic();
    let script = |_| strategy.new_tree(&mut runner).expect("a strategy that rejects nothing").current();
    (0..count).map(script).collect()
}

/// A seeded fault, and what the suite says of it.
pub(crate) type Seeded<Fault> = (Fault, &'static str);

/// A suite must find each fault in a copy of each member, with one of these scripts and for the right reason. The first
/// three are a double outcome, a timer in the past and a leaked packet, or what corresponds to them in this set.
#[track_caller]
pub(crate) fn must_find<Fault: Copy + Debug, Make, Script>(
    faults: &[Seeded<Fault>],
    members: &[Member<Make>],
    scripts: &[Script],
    suite: impl Fn(Fault, &Make, &Script) -> Finding,
) {
    for &(fault, reason) in faults {
        for Member { name, make, .. } in members {
            let found = scripts.iter().find_map(|script| suite(fault, make, script).err());
            let text = found.unwrap_or_else(|| panic!("the suite does not find {fault:?} in {name}"));
            assert!(text.contains(reason), "{fault:?} in {name} must be found as “{reason}”, not as: {text}");
        }
    }
}

/// The rows of the two tables of suites name every member of a set and every seeded fault, in order.
#[track_caller]
pub(crate) fn must_be_documented<Make, Fault: Debug>(
    set: &str,
    members: &[Member<Make>],
    faults: &[Seeded<Fault>],
) {
    let page = include_str!("../../../../docs/architecture.md");
    let (start, (_, tables)) =
        (format!("| {set} |"), page.split_once("## Contract suites").unwrap_or_default());
    let rows: Vec<&str> = tables.lines().filter(|line| line.starts_with(&start)).collect();
    let [row, seeded] = rows[..] else {
        panic!("docs/architecture.md must have two rows of the suite of {set}, and has {}", rows.len());
    };
    let missing: Vec<&str> =
        members.iter().map(|member| member.name).filter(|name| !row.contains(&format!("`{name}`"))).collect();
    assert!(missing.is_empty(), "docs/architecture.md, row {set}: these members are missing: {missing:?}");
    let names: Vec<String> = faults.iter().map(|(fault, _)| in_words(&format!("{fault:?}"))).collect();
    let wanted = format!("{start} {} | {} |", names[..3].join(" | "), names[3..].join(", "));
    assert_eq!(seeded, wanted, "docs/architecture.md, the faults that the suite of {set} finds");
}

/// `EndsTwice` becomes `ends twice`.
fn in_words(name: &str) -> String {
    let mut words = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(letter.to_lowercase());
    }
    words
}
