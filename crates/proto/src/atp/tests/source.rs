//! The sender: each transition of its diagram.

use crate::atp::{Action, AtpConfig, Body, Header, Input, Source, State};
use crate::testing::timeline;
use crate::units::SimTime;
use Action::Completed;

const LEN: u32 = 1000;

/// A source; what it answers, and when it wants to be woken.
struct Rig(Source);

impl Rig {
    fn new(config: AtpConfig) -> Self {
        Self(Source::new(config, LEN))
    }

    fn feed(&mut self, now: SimTime, input: Input<'_>) -> Vec<Action> {
        let mut out = Vec::new();
        self.0.handle(now, input, &mut out);
        out
    }

    /// Lets its timer fire until then; how many packets it sent.
    fn until(&mut self, end: SimTime) -> usize {
        let mut sent = 0;
        while self.0.deadline() <= end {
            sent += self.feed(self.0.deadline(), Input::Timer).len();
        }
        sent
    }

    fn sending(&self) -> f64 {
        self.0.rate().sending
    }
}

fn data(number: u64) -> Action {
    Action::Send(Header { body: Body::Data(number), delay: 0, idle: false }, LEN)
}

/// As long as a full packet: it measures how long a full packet takes.
fn probe() -> Action {
    Action::Send(Header { body: Body::Probe, delay: 0, idle: false }, LEN)
}

/// A report of a path that takes a packet every so many milliseconds.
fn report(below: u64, blocks: &[(u64, u64)], delay: u32) -> Header {
    Header { body: Body::Report { below, blocks: blocks.to_vec() }, delay: delay * 1000, idle: false }
}

const fn ms(n: u64) -> SimTime {
    SimTime::from_ms(n)
}

/// A source that never runs dry, at a packet every 100 ms from 50 ms on.
fn running() -> Rig {
    let mut rig = Rig::new(AtpConfig::default());
    let answer = report(0, &[], 100);
    timeline! { rig;
        at 0 ms:   Input::Write(u64::MAX) => [probe()];
        at 50 ms:  Input::Report(&answer) => [];
        at 50 ms:  Input::Timer => [data(0)];
        at 149 ms: Input::Timer => [];
        at 150 ms: Input::Timer => [data(1)];
    }
    rig
}

#[test]
fn it_asks_for_the_rate_every_epoch_and_sends_at_it_at_once() {
    let mut rig = Rig::new(AtpConfig::default());
    assert_eq!((rig.0.state(), rig.0.deadline()), (State::Closed, SimTime::MAX));
    let answer = report(0, &[], 20);
    timeline! { rig;
        at 0 ms:    Input::Write(u64::MAX) => [probe()];
        at 999 ms:  Input::Timer => [];
        at 1000 ms: Input::Timer => [probe()];
        at 1100 ms: Input::Report(&answer) => [];
    }
    assert_eq!((rig.0.state(), rig.sending()), (State::Running, 50.0), "no slow start");
    assert_eq!(rig.0.deadline(), ms(1100), "at once");
    assert_eq!(rig.until(ms(1199)), 5);
}

#[test]
fn the_rate_falls_at_once_rises_by_a_fifth_of_the_difference_and_stays_within_the_margin() {
    let mut rig = running();
    let feed = |rig: &mut Rig, at: u64, delay: u32| {
        rig.until(ms(at));
        let below = rig.0.rate().next;
        rig.feed(ms(at), Input::Report(&report(below, &[], delay)));
        rig.sending()
    };
    assert_eq!(feed(&mut rig, 1000, 200), 5.0, "decrease");
    assert_eq!(feed(&mut rig, 2000, 182), 5.0, "5.49 packets: within a tenth");
    assert_eq!(feed(&mut rig, 3000, 100), 6.0, "a fifth of 5 more");
    assert_eq!(feed(&mut rig, 4000, 2), 12.0, "never more than double");
    let counters = rig.0.counters();
    assert_eq!((counters.decreases, counters.increases, counters.reports), (1, 2, 5));
}

//  50 ms            1.55 s        3.25 s, a packet    5.15 s, a packet
//  | a packet       | no report:  | later and so long | later and so long
//  |                | half        | again: half       | again: a probe
#[test]
fn missing_reports_halve_the_rate_and_the_third_is_a_quick_start() {
    let mut rig = running();
    rig.until(ms(1549));
    assert_eq!(rig.sending(), 10.0);
    rig.until(ms(1550));
    assert_eq!(rig.sending(), 5.0);
    rig.until(ms(3249));
    assert_eq!(rig.sending(), 5.0);
    rig.until(ms(3250));
    assert_eq!(rig.sending(), 2.5);
    rig.until(ms(5149));
    assert_eq!(rig.0.state(), State::Running);
    assert_eq!(rig.feed(ms(5150), Input::Timer), [probe()]);
    assert_eq!((rig.0.state(), rig.sending()), (State::QuickStart, 0.0));
    assert_eq!(rig.until(ms(7150)), 2, "a probe every epoch, and nothing else");
    let answer = report(0, &[], 10);
    rig.feed(ms(8000), Input::Report(&answer));
    assert_eq!(rig.sending(), 100.0);
    rig.until(ms(9509));
    assert_eq!(rig.sending(), 100.0);
    rig.until(ms(9510));
    assert_eq!((rig.0.state(), rig.sending()), (State::Running, 50.0), "the count begins anew");
    let counters = rig.0.counters();
    assert_eq!((counters.missing, counters.quick_starts, counters.probes), (4, 2, 4));
}

//  0          0.9 s                 4 s       6.4 s                15.9 s
//  | 0 goes   | none of it yet      | 1       | still none: half   | again
#[test]
fn no_report_is_missing_of_a_packet_that_has_not_gone_yet() {
    let mut rig = Rig::new(AtpConfig::default());
    let (answer, none) = (report(0, &[], 4000), report(0, &[], 4000));
    timeline! { rig;
        at 0 ms:    Input::Write(u64::MAX) => [probe()];
        at 0 ms:    Input::Report(&answer) => [];
        at 0 ms:    Input::Timer => [data(0)];
        at 900 ms:  Input::Report(&none) => []; // the next packet goes before 4.9 s, and 1.5 s more
        at 4000 ms: Input::Timer => [data(1)];
        at 6399 ms: Input::Timer => [];
    }
    assert_eq!((rig.sending(), rig.0.counters().missing), (0.25, 0));
    assert_eq!(rig.until(ms(6400)), 0);
    assert_eq!((rig.sending(), rig.0.counters().missing), (0.125, 1));
    // At an eighth of a packet in a second it takes so much longer.
    rig.until(ms(15_899));
    assert_eq!(rig.0.counters().missing, 1);
    rig.until(ms(15_900));
    assert_eq!(rig.0.counters().missing, 2);
}

#[test]
fn a_broken_link_is_a_quick_start() {
    let mut rig = running();
    timeline! { rig;
        at 200 ms: Input::Broken => [probe()];
        at 210 ms: Input::Broken => []; // it asks already
    }
    assert_eq!(rig.0.state(), State::QuickStart);
}

#[test]
fn what_is_in_no_report_an_epoch_after_it_was_sent_goes_before_new_data() {
    let mut rig = running(); // 0 and 1 at 50 and 150 ms, then one every 100 ms
    assert_eq!(rig.until(ms(950)), 8); // 2 to 9
    let early = report(0, &[(1, 3), (5, 10)], 100);
    assert_eq!(rig.feed(ms(1000), Input::Report(&early)), [], "0, 3, 4 are on their way, as far as it knows");
    timeline! { rig;
        at 1050 ms: Input::Timer => [data(10)];
        at 1100 ms: Input::Report(&early) => []; // 0 is overdue, 3 and 4 are not yet
        at 1150 ms: Input::Timer => [data(0)];
        at 1250 ms: Input::Timer => [data(11)];
        at 1500 ms: Input::Report(&early) => []; // 3 and 4; 0 has gone again
        at 1500 ms: Input::Timer => [data(3)];
        at 1600 ms: Input::Timer => [data(4)];
        at 1700 ms: Input::Timer => [data(12)];
    }
    assert_eq!(rig.0.counters().retransmissions, 3);
}

#[test]
fn a_transfer_ends_with_the_report_of_its_last_packet() {
    let mut rig = Rig::new(AtpConfig::default());
    let (answer, some, all) = (report(0, &[], 100), report(1, &[(2, 3)], 100), report(3, &[], 100));
    let last = Action::Send(Header { body: Body::Data(2), delay: 0, idle: false }, 500);
    timeline! { rig;
        at 0 ms:    Input::Write(2500) => [probe()];
        at 0 ms:    Input::Report(&answer) => [];
        at 0 ms:    Input::Timer => [data(0)];
        at 100 ms:  Input::Timer => [data(1)];
        at 200 ms:  Input::Timer => [last];
        at 300 ms:  Input::Timer => [];
        at 1000 ms: Input::Report(&some) => [];
        at 1200 ms: Input::Report(&some) => [];
        at 1200 ms: Input::Timer => [data(1)];
        at 1300 ms: Input::Report(&all) => [Completed];
    }
    assert_eq!(rig.0.acknowledged(), 2500);
    assert_eq!(rig.0.deadline(), SimTime::MAX, "no report is due any more");
    timeline! { rig;
        at 1400 ms: Input::Report(&all) => [];
        at 1500 ms: Input::Write(1000) => [];
        at 1500 ms: Input::Timer => [data(3)];
    }
}

#[test]
fn a_source_that_is_told_to_stop_sends_nothing_new() {
    let mut rig = running();
    assert_eq!(rig.feed(ms(200), Input::Stop), []);
    assert_eq!(rig.until(ms(1500)), 0);
}

#[test]
fn no_more_than_so_many_packets_wait_for_a_report() {
    let mut rig = Rig::new(AtpConfig { most_outstanding: 3, ..AtpConfig::default() });
    let answer = report(0, &[], 10);
    rig.feed(ms(0), Input::Write(u64::MAX));
    rig.feed(ms(0), Input::Report(&answer));
    assert_eq!(rig.until(ms(500)), 3);
    rig.feed(ms(500), Input::Report(&report(2, &[], 10)));
    assert_eq!(rig.until(ms(900)), 2);
}

#[test]
fn a_report_of_what_was_never_sent_is_ignored() {
    let mut rig = running();
    for wrong in [report(3, &[], 1), report(0, &[(1, 3)], 1)] {
        rig.feed(ms(200), Input::Report(&wrong));
        assert_eq!(rig.sending(), 10.0);
    }
    assert_eq!(rig.0.counters().reports, 1);
}
