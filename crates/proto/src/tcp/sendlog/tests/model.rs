//! Any order of sending, acknowledging, losing and trusting, against a model that keeps each byte by itself: slow, and
//! without any of the log's sums and short ways.

use proptest::prelude::*;

use crate::tcp::sendlog::SendLog;
use crate::units::{Dur, SimTime};

/// What is done with a log. Places are shares of what is outstanding, in 1/64.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// So many bytes leave that have never been sent.
    Send(u64),
    /// A stretch leaves again.
    Resend(u64, u64),
    /// The first stretch that is believed to be lost does, as recovery has it.
    Repair,
    /// An ACK: so much of what is outstanding is acknowledged, and stretches beyond it are held.
    Ack(u64, [(u64, u64); 2]),
    /// All that was sent so long ago is lost \[ms\].
    Lose(u64),
    /// All is lost that was sent before an instant so long ago and longer ago than this \[ms\].
    Overtaken(u64, u64),
    Trust,
    ForgetHeld,
    /// The application has nothing to send.
    Limit,
}

fn step() -> impl Strategy<Value = Step> {
    let place = || 0u64..=64;
    let stretch = move || (place(), 1u64..20);
    prop_oneof![
        6 => (1u64..9).prop_map(Step::Send),
        2 => stretch().prop_map(|(at, bytes)| Step::Resend(at, bytes)),
        4 => Just(Step::Repair),
        6 => (prop_oneof![2 => Just(0), 3 => place()], [stretch(), stretch()]).prop_map(|(to, held)| Step::Ack(to, held)),
        2 => (0u64..60).prop_map(Step::Lose),
        3 => (0u64..60, 0u64..60).prop_map(|(ago, patience)| Step::Overtaken(ago, patience)),
        1 => Just(Step::Trust),
        1 => Just(Step::ForgetHeld),
        1 => Just(Step::Limit),
    ]
}

/// One byte.
#[derive(Clone, Copy, Debug)]
struct Byte {
    sent_at: SimTime,
    again: bool,
    held: bool,
    lost: bool,
    repair: bool,
    delivered: u64,
    limited: bool,
    prior_lost: u64,
}

/// All bytes from the first unacknowledged one on.
#[derive(Debug, Default)]
struct Model {
    una: u64,
    bytes: Vec<Byte>,
    delivered: u64,
    fack: u64,
    lost_in_all: u64,
    limited_until: u64,
    min_rtt: Option<Dur>,
}

/// What an ACK shows.
#[derive(Debug, Default, PartialEq)]
struct Seen {
    newly: u64,
    rtt: Option<Dur>,
    reordered: bool,
    /// Of the newest byte: what was delivered as it left, what had been lost, and whether the application had too
    /// little.
    newest: Option<(u64, u64, bool)>,
}

impl Model {
    fn top(&self) -> u64 {
        self.una + self.bytes.len() as u64
    }

    fn count(&self, is: impl Fn(&Byte) -> bool) -> u64 {
        self.bytes.iter().filter(|byte| is(byte)).count() as u64
    }

    fn leave(&mut self, now: SimTime, start: u64, end: u64) {
        let fresh = Byte {
            sent_at: now,
            again: false,
            held: false,
            lost: false,
            repair: false,
            delivered: self.delivered,
            limited: self.limited_until > 0,
            prior_lost: self.lost_in_all,
        };
        let top = self.top();
        for at in start..end.min(top) {
            let byte = &mut self.bytes[(at - self.una) as usize];
            if !byte.held {
                *byte = Byte { again: true, repair: byte.lost || byte.repair, ..fresh };
            }
        }
        self.bytes.extend((top..end.max(top)).map(|_| fresh));
    }

    fn arrive(&mut self, now: SimTime, places: &[u64]) -> Seen {
        let (mut seen, mut newest, prior) = (Seen::default(), None, self.fack);
        for &at in places {
            let byte = &mut self.bytes[(at - self.una) as usize];
            if std::mem::replace(&mut byte.held, true) {
                continue;
            }
            (byte.lost, byte.repair) = (false, false);
            let byte = *byte;
            seen.newly += 1;
            self.fack = self.fack.max(at + 1);
            if !byte.again {
                seen.reordered |= at < prior;
                let rtt = now - byte.sent_at;
                seen.rtt = Some(seen.rtt.map_or(rtt, |least| least.min(rtt)));
            }
            if newest.is_none_or(|it| (byte.sent_at, at) > it) {
                newest = Some((byte.sent_at, at));
                seen.newest = Some((byte.delivered, byte.prior_lost, byte.limited));
            }
        }
        self.delivered += seen.newly;
        self.min_rtt = match (self.min_rtt, seen.rtt) {
            (Some(least), Some(rtt)) => Some(least.min(rtt)),
            (known, rtt) => known.or(rtt),
        };
        if self.delivered > self.limited_until {
            self.limited_until = 0;
        }
        seen
    }

    fn lose(&mut self, is_lost: impl Fn(&Byte) -> bool) -> u64 {
        let found = |byte: &&mut Byte| !byte.held && !byte.lost && is_lost(byte);
        let bytes =
            self.bytes.iter_mut().filter(found).map(|byte| (byte.lost, byte.repair) = (true, false)).count();
        self.lost_in_all += bytes as u64;
        bytes as u64
    }
}

/// Log and model, side by side.
#[derive(Default)]
struct Both {
    log: SendLog,
    model: Model,
    now: SimTime,
    told: u64,
}

impl Both {
    fn place(&self, share: u64) -> u64 {
        self.model.una + self.model.bytes.len() as u64 * share / 64
    }

    fn send(&mut self, start: u64, end: u64) {
        if start < end {
            self.log.sent(self.now, start, end, self.model.bytes.is_empty());
            self.model.leave(self.now, start, end);
        }
    }

    fn ack(&mut self, to: u64, held: [(u64, u64); 2]) {
        let top = self.model.top();
        let blocks = held.map(|(share, bytes)| {
            let start = self.place(share).max(to);
            (start, (start + bytes).min(top))
        });
        self.log.begin();
        let mut places = Vec::new();
        for (start, end) in blocks.into_iter().filter(|(start, end)| start < end) {
            self.log.sacked(self.now, start, end);
            places.extend(start..end);
        }
        if to > self.model.una {
            self.log.acked(self.now, to);
            places.extend(self.model.una..to);
        }
        let seen = self.model.arrive(self.now, &places);
        self.model.bytes.drain(..(to - self.model.una) as usize);
        self.model.una = to;
        let measured = self.log.measure();
        let newest = measured.prior_delivered.map(|prior| (prior, measured.prior_lost, measured.limited));
        let shown = Seen { newly: measured.newly, rtt: measured.rtt, reordered: measured.reordered, newest };
        assert_eq!(shown, seen);
        assert_eq!((measured.delivered, measured.min_rtt), (self.model.delivered, self.model.min_rtt));
    }

    fn take(&mut self, step: Step) {
        self.now += Dur::from_ms(1);
        let (now, una, top) = (self.now, self.model.una, self.model.top());
        let before = |ms: u64| SimTime::from_ms((now.as_ns() / 1_000_000).saturating_sub(ms));
        match step {
            Step::Send(bytes) => self.send(top, top + bytes),
            Step::Resend(share, bytes) => {
                let start = self.place(share);
                self.send(start, (start + bytes).min(top));
            }
            Step::Repair => {
                if let Some((start, end)) = self.log.next_lost() {
                    self.send(start, end);
                }
            }
            Step::Ack(share, held) => self.ack(self.place(share), held),
            Step::Lose(ago) => {
                let bytes = self.log.lose(|record| record.sent_at < before(ago));
                assert_eq!(bytes, self.model.lose(|byte| byte.sent_at < before(ago)));
            }
            Step::Overtaken(ago, patience) => {
                let (by, patience) = (before(ago), Dur::from_ms(patience));
                let again = self.model.count(|byte| {
                    !byte.held
                        && !byte.lost
                        && byte.again
                        && byte.sent_at < by
                        && now - byte.sent_at >= patience
                });
                let found = self.log.lose_overtaken(now, (by, 0), patience);
                let bytes = self.model.lose(|byte| byte.sent_at < by && now - byte.sent_at >= patience);
                assert_eq!((found.bytes, found.again), (bytes, again));
            }
            Step::Trust => {
                self.log.trust();
                self.model.bytes.iter_mut().for_each(|byte| (byte.lost, byte.repair) = (false, false));
            }
            Step::ForgetHeld => {
                self.log.forget_held();
                self.model.bytes.iter_mut().for_each(|byte| byte.held = false);
            }
            Step::Limit => {
                self.log.limit(self.log.in_flight());
                let in_flight = self.model.count(|byte| !byte.held && !byte.lost);
                self.model.limited_until = (self.model.delivered + in_flight).max(1);
            }
        }
        assert!(self.model.una >= una);
        self.compare();
    }

    fn compare(&mut self) {
        let (log, model) = (&self.log, &self.model);
        assert_eq!(log.in_flight(), model.count(|byte| !byte.held && !byte.lost));
        assert_eq!(log.lost(), model.count(|byte| byte.lost));
        assert_eq!(log.held(), model.count(|byte| byte.held));
        assert_eq!(log.repairs(), model.count(|byte| byte.repair && !byte.lost));
        assert_eq!(log.unrepaired(), log.lost() + log.repairs());
        assert_eq!(log.lost_in_all(), model.lost_in_all);
        assert_eq!(log.last().map(|(_, end)| end), (!model.bytes.is_empty()).then(|| model.top()));
        assert_eq!(log.is_limited(), model.limited_until > 0);
        let first = model.bytes.iter().position(|byte| byte.lost).map(|at| model.una + at as u64);
        assert_eq!(log.next_lost().map(|(start, _)| start), first);
        if let Some((start, end)) = log.next_lost() {
            assert!((start..end).all(|at| model.bytes[(at - model.una) as usize].lost));
        }
        while let Some(lost) = self.log.next_lost_segment() {
            self.told += lost.end - lost.start;
            assert!(lost.lost_since <= self.told && lost.lost_since >= lost.end - lost.start);
            assert!(lost.in_flight >= lost.end - lost.start, "its own bytes among them");
        }
        assert_eq!(self.told, self.log.lost_in_all());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_log_is_what_each_byte_says(steps in prop::collection::vec(step(), 1..120)) {
        let mut both = Both::default();
        both.log.note_losses();
        steps.into_iter().for_each(|step| both.take(step));
    }
}
