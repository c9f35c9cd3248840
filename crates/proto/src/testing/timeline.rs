//! Time lines: what a machine answers, input by input, at exact instants.

use std::fmt::Debug;

use crate::units::SimTime;

/// Feeds a machine, one line an input, and compares the answers.
///
/// The machine is anything with a method `feed(now, input) -> Vec<Action>`.
///
/// ```text
/// //  0       50        100
/// //  | tx F  | tx F     |
/// timeline! { arq;
///     at 0 us:  Input::Send(F)           => [Transmit(F), Arm(AckTimeout, us(50))];
///     at 50 us: Input::Timer(AckTimeout) => [Transmit(F), Arm(AckTimeout, us(100))];
///     at 60 us: Input::Ack(9)            => [Disarm(AckTimeout), Delivered(9)];
/// };
/// ```
macro_rules! timeline {
    ($machine:expr; $(at $when:literal $unit:ident: $input:expr => [$($action:expr),* $(,)?];)+) => {{
        $(
            let now = $crate::testing::instant(concat!(stringify!($when), " ", stringify!($unit)));
            let answers = $machine.feed(now, $input);
            $crate::testing::expect(now, stringify!($input), &answers, &[$($action),*]);
        )+
    }};
}
pub(crate) use timeline;

/// Compares the answers to one input.
#[track_caller]
pub(crate) fn expect<A: Debug + PartialEq>(now: SimTime, input: &str, answers: &[A], expected: &[A]) {
    assert!(answers == expected, "at {now}: {input}\n  answered {answers:#?}\n  expected {expected:#?}");
}

/// The instant that a text like `30 us` says.
#[track_caller]
pub(crate) fn instant(text: &str) -> SimTime {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

/// The instant `n` microseconds after zero.
pub(crate) const fn us(n: u64) -> SimTime {
    SimTime::from_us(n)
}
