//! Scripts: one line an event, with its time in seconds, segments by number (one is 1000 bytes).
//!
//! For a sender:
//!
//! ```text
//! 0    open                 0.1  < 3                an ACK of all segments below 3
//! 0    write 10 | endless   0.1  < 3 sack 5-7 9-10  with blocks, half-open
//! 0    > 0 1                these segments are sent now, and no others; `2(500)`: a short one, `probe`: a header,
//!                           `ack`: one above all that was sent
//! 0.1  < 3 win 2+500        with this window from now on
//! 0.1  < 3 ece              with an echo of ECN; `< syn-ack ece`
//! 0.1  < 3 echo 50          with timestamps: it echoes the time 50 ms
//! 0.1  > 3e 4ec             sent as ECN-capable, and with CWR; `syn-ecn`
//! 1    ! timeout 0          what the sender reports; `fast 3`, `completed`
//! 1    = cwnd 4.25 ssthresh 4 | rto 3 (due at that time) | rto off
//! ```
//!
//! For a receiver `< 3` is the arrival of data segment 3, `> 4 sack 5-6` the ACK that it sends, and `> 4(2)` one with a
//! window of two segments where that is not the usual one. `< 3 bare` has no ACK bit. `< 3 ce`, `< 3 cwr`, `< 3 ce cwr`
//! arrive so, `< syn ecn` offers ECN, `> 4e` echoes. `< 3 at 50` was stamped at 50 ms, `> 4@50` echoes that. Timers
//! fire by themselves. What is sent or reported must be stated before the next event, in order.

use crate::contract::Control;
use crate::tcp::connection::{Action, Arrival, Event, Input, Receiver, Sender, Timer};
use crate::tcp::{Handshake, IdleRestart, LimitedTransmit, PartialAckRestart, TcpConfig};
use crate::units::{Bytes, Dur, FlowId, SimTime};
use crate::wire::{PathOption, SackBlocks, Segment, Timestamps, clock, flags};

/// Bytes of a segment.
pub(super) const SEGMENT: u64 = 1000;

/// A window of ten segments has left.
pub(super) const TEN_SENT: &str = "
    0    open
    0    write endless
    0    > 0 1 2 3 4 5 6 7 8 9
";

/// A sender with an initial window of eight has sent it.
pub(super) const EIGHT_SENT: &str = "
    0    open
    0    write endless
    0    > 0 1 2 3 4 5 6 7
";

/// And learns that the first of them is lost.
pub(super) const FIRST_LOST: &str = "
    0.1  < 0
    0.1  < 0
    0.1  < 0
    0.1  ! fast 0
    0.1  > 0
";

/// A script that begins like others.
pub(super) fn after(openings: &[&str], text: &str) -> String {
    openings.concat() + text
}

/// A plain sender: no handshake, no limited transmit, every ACK at once, ticks of 10 ms.
pub(super) fn config() -> TcpConfig {
    TcpConfig {
        segment: Bytes(1000),
        max_window: 20,
        initial_window: 2,
        initial_rto: Dur::from_secs(1),
        min_rto: Dur::from_ms(200),
        tick: Dur::from_ms(10),
        handshake: Handshake::None,
        limited_transmit: LimitedTransmit::Off,
        idle_restart: IdleRestart::Off,
        partial_ack_restart: PartialAckRestart::First,
        ack_every: 1,
        ..TcpConfig::default()
    }
}

/// One end of a connection, as a script sees it.
pub(super) trait End {
    /// Carries out one event of the script; false if it does not know the verb.
    fn act(&mut self, now: SimTime, words: &[&str], out: &mut Vec<Action>) -> bool;
    /// Compares a state line with the state.
    fn state(&self, words: &[&str], line: &str);
    /// A timer fires.
    fn fire(&mut self, now: SimTime, timer: Timer, out: &mut Vec<Action>);
    /// How a segment that it sends is written in a script.
    fn written(&self, segment: &Segment) -> String;
}

/// Runs a script to its end.
#[track_caller]
pub(super) fn run(end: &mut impl End, text: &str) {
    let mut script = Script { log: Vec::new(), deadlines: TIMERS.map(|timer| (timer, SimTime::MAX)) };
    for line in text.lines().map(|line| line.split("//").next().unwrap_or_default().trim()) {
        let mut words = line.split_whitespace();
        let Some(time) = words.next() else { continue };
        let now: SimTime = format!("{time} s").parse().unwrap_or_else(|error| panic!("{line}: {error}"));
        let words: Vec<&str> = words.collect();
        if words[0] == ">" || words[0] == "!" {
            script.fire_until(end, now);
            script.expect(now, &words, line);
            continue;
        }
        if now > SimTime::ZERO {
            script.fire_until(end, now - Dur::from_ns(1));
        }
        assert!(script.log.is_empty(), "before `{line}`: {:?} not in the script", script.log);
        match words[..] {
            ["=", "rto", "off"] => assert_eq!(script.rto(), SimTime::MAX, "{line}"),
            ["=", "rto", at] => {
                assert_eq!(script.rto().to_string(), format!("{at} s"), "{line}");
            }
            ["=", ..] => end.state(&words[1..], line),
            _ => {
                let mut out = Vec::new();
                assert!(end.act(now, &words, &mut out), "no such event: {line}");
                script.take(end, now, out);
            }
        }
    }
    assert!(script.log.is_empty(), "at the end: {:?} not in the script", script.log);
}

struct Script {
    /// What has been sent (`>`) and reported (`!`), not yet matched.
    log: Vec<(SimTime, &'static str, String)>,
    deadlines: [(Timer, SimTime); 4],
}

const TIMERS: [Timer; 4] = [Timer::Retransmit, Timer::DelayedAck, Timer::LossDetector, Timer::Pace];

impl Script {
    /// When the timer fires that every end has.
    fn rto(&self) -> SimTime {
        self.deadlines[0].1.min(self.deadlines[1].1)
    }

    fn take(&mut self, end: &impl End, now: SimTime, out: Vec<Action>) {
        for action in out {
            match action {
                Action::Send(segment) => self.log.push((now, ">", end.written(&segment))),
                Action::Arm(timer, at) => self.deadlines[timer as usize].1 = at,
                Action::Event(Event::SentAgain { .. }) => {} // the segment itself is in the script
                Action::Event(event) => self.log.push((now, "!", event_text(event))),
            }
        }
    }

    fn fire_until(&mut self, end: &mut impl End, until: SimTime) {
        while let Some((timer, at)) = self.deadlines.iter_mut().min_by_key(|(_, at)| *at)
            && *at <= until
        {
            let (timer, now) = (*timer, std::mem::replace(at, SimTime::MAX));
            let mut out = Vec::new();
            end.fire(now, timer, &mut out);
            self.take(end, now, out);
        }
    }

    #[track_caller]
    fn expect(&mut self, now: SimTime, words: &[&str], line: &str) {
        let texts: Vec<String> = if words[0] == "!" || words.contains(&"sack") {
            vec![words[1..].join(" ")]
        } else {
            words[1..].iter().map(ToString::to_string).collect()
        };
        for text in texts {
            let wanted = (now, words[0], text);
            assert!(
                self.log
                    .first()
                    .is_some_and(|(at, kind, what)| (*at, *kind, what) == (wanted.0, wanted.1, &wanted.2)),
                "`{line}`: {:?}",
                self.log
            );
            self.log.remove(0);
        }
    }
}

fn event_text(event: Event) -> String {
    match event {
        Event::FastRetransmit { seq } => format!("fast {}", seq / SEGMENT),
        Event::Timeout { seq } => format!("timeout {}", seq / SEGMENT),
        Event::TailProbe { seq } => format!("probe {}", seq / SEGMENT),
        Event::Undone { seq } => format!("undone {}", seq / SEGMENT),
        Event::SentAgain { seq } => format!("again {}", seq / SEGMENT),
        Event::Completed => "completed".to_owned(),
    }
}

/// A number of segments as bytes; `4+300` adds bytes.
fn bytes(text: &str) -> u64 {
    let (segments, more) = text.split_once('+').unwrap_or((text, "0"));
    segments.parse::<u64>().expect("a number of segments") * SEGMENT + more.parse::<u64>().expect("bytes")
}

/// What a clock read at so many milliseconds.
fn reading(ms: &str) -> u32 {
    clock(SimTime::from_ms(ms.parse().expect("milliseconds")))
}

/// `sack 5-7 9-10` as blocks.
fn blocks(words: &[&str]) -> SackBlocks {
    let mut blocks = SackBlocks::default();
    for word in words.iter().skip(1) {
        let (start, end) = word.split_once('-').expect("a block like 5-7");
        let (start, end) = (bytes(start), bytes(end));
        blocks.push(start, u32::try_from(end - start).expect("a short block"));
    }
    blocks
}

impl End for Sender {
    fn act(&mut self, now: SimTime, words: &[&str], out: &mut Vec<Action>) -> bool {
        // The window stays as it was until a line says otherwise.
        let (words, window) = match *words {
            [ref first @ .., "win", window] => (first, u32::try_from(bytes(window)).expect("a window")),
            _ => (words, u32::try_from(self.sending.room().peer_window()).expect("a window")),
        };
        let (words, times) = match *words {
            [ref first @ .., "echo", ms] => (first, Timestamps::new(now, reading(ms))),
            _ => (words, Timestamps::NONE),
        };
        let (words, echo) = match *words {
            [ref first @ .., "ece"] => (first, flags::ECE),
            _ => (words, 0),
        };
        let (words, path) = match *words {
            [ref first @ .., "says", state] => (first, super::adtcp::said(state)),
            _ => (words, PathOption::None),
        };
        let input = match *words {
            ["open"] => Input::Open,
            ["write", "endless"] => Input::Write(u64::MAX),
            ["write", count] => Input::Write(bytes(count)),
            ["stop"] => Input::Stop,
            ["wake"] => Input::Wake,
            ["freeze"] => Input::Control(Control::Freeze),
            ["thaw"] => Input::Control(Control::Thaw),
            ["probe"] => Input::Control(Control::Probe),
            ["retransmit", "all"] => Input::Control(Control::RetransmitAll),
            ["retransmit", seq] => Input::Control(Control::Retransmit { seq: bytes(seq) }),
            ["set-cwnd", segments] => {
                Input::Control(Control::SetCwnd { segments: segments.parse().expect("a number") })
            }
            ["set-ssthresh", segments] => {
                Input::Control(Control::SetSsthresh { segments: segments.parse().expect("a number") })
            }
            ["set-rto", ms] => {
                Input::Control(Control::SetRto { rto: Dur::from_ms(ms.parse().expect("milliseconds")) })
            }
            ["go-back"] => Input::Control(Control::GoBack),
            ["time-out"] => Input::Control(Control::TimeOut),
            ["restart-timer"] => Input::Control(Control::RestartTimer),
            ["budget", segments] => {
                self.set_budget(segments.parse().expect("a number"));
                return true;
            }
            ["<", "syn-ack"] => Input::Segment(Segment {
                flags: flags::SYN | flags::ACK | echo,
                window,
                ..Segment::default()
            }),
            ["<", ack, ref rest @ ..] => Input::Segment(Segment {
                ack: bytes(ack),
                flags: flags::ACK | echo,
                window,
                sack: blocks(rest),
                times,
                path,
                ..Segment::default()
            }),
            _ => return false,
        };
        self.handle(now, input, out);
        true
    }

    fn state(&self, words: &[&str], line: &str) {
        let view = self.view();
        for pair in words.chunks(2) {
            let expected: f64 = pair[1].parse().expect("a number");
            let value = match pair[0] {
                "cwnd" => view.cwnd,
                "ssthresh" => view.ssthresh,
                "inflation" => f64::from(self.sending.flight().control().window().inflation),
                "una" => view.una as f64 / SEGMENT as f64,
                "nxt" => view.nxt as f64 / SEGMENT as f64,
                "dupacks" => f64::from(view.dupacks),
                "timeout" => view.rto.as_secs_f64(),
                "srtt" => view.srtt.map_or(0.0, Dur::as_secs_f64),
                other => panic!("no such state: {other}"),
            };
            assert!((value - expected).abs() < 5e-4, "{line}: {} is {value}", pair[0]);
        }
    }

    fn fire(&mut self, now: SimTime, timer: Timer, out: &mut Vec<Action>) {
        self.handle(now, Input::Timer(timer), out);
    }

    fn written(&self, segment: &Segment) -> String {
        if segment.flags & flags::SYN != 0 {
            let offer = flags::ECE | flags::CWR;
            return if segment.flags & offer == offer { "syn-ecn" } else { "syn" }.to_owned();
        }
        if segment.len == 0 {
            let probe = segment.seq == self.sending.flight().stream().una().wrapping_sub(1);
            assert!(probe || segment.seq == self.sending.flight().stream().max_sent());
            return if probe { "probe" } else { "ack" }.to_owned();
        }
        let short =
            if u64::from(segment.len) == SEGMENT { String::new() } else { format!("({})", segment.len) };
        let within = segment.seq % SEGMENT;
        let within = if within == 0 { String::new() } else { format!("+{within}") };
        let capable = if segment.flags & flags::ECT != 0 { "e" } else { "" };
        let reduced = if segment.flags & flags::CWR != 0 { "c" } else { "" };
        format!("{}{within}{short}{capable}{reduced}", segment.seq / SEGMENT)
    }
}

/// A receiver and what its last segment was to it.
pub(super) struct Receiving {
    pub(super) receiver: Receiver,
    pub(super) arrival: Arrival,
    /// What it advertises when no node has said otherwise.
    full_window: u32,
}

impl End for Receiving {
    fn act(&mut self, now: SimTime, words: &[&str], out: &mut Vec<Action>) -> bool {
        let control = match *words {
            ["freeze"] => Some(Control::Freeze),
            ["thaw"] => Some(Control::Thaw),
            ["acknowledge"] => Some(Control::Acknowledge),
            ["window", "all"] => Some(Control::SetWindow { bytes: None }),
            ["window", most] => Some(Control::SetWindow { bytes: u32::try_from(bytes(most)).ok() }),
            _ => None,
        };
        if let Some(control) = control {
            self.receiver.control(now, control, out);
            return true;
        }
        let (words, times) = match *words {
            [ref first @ .., "at", ms] => {
                (first, Timestamps::new(SimTime::from_ms(ms.parse().expect("milliseconds")), 0))
            }
            _ => (words, Timestamps::NONE),
        };
        let segment = match *words {
            ["<", "syn"] => Segment { flags: flags::SYN, ..Segment::default() },
            ["<", "syn", "ecn"] => {
                Segment { flags: flags::SYN | flags::ECE | flags::CWR, ..Segment::default() }
            }
            ["<", "probe", seq] => Segment { seq: bytes(seq), flags: flags::ACK, ..Segment::default() },
            ["<", start, ref said @ ..] => {
                let (start, end) = start.split_once('-').map_or_else(
                    || (bytes(start), bytes(start) + SEGMENT),
                    |(start, end)| (bytes(start), bytes(end)),
                );
                let len = u32::try_from(end - start).expect("a short segment");
                let bare = said == ["bare"];
                let said = said.iter().map(|word| match *word {
                    "bare" => 0,
                    "ce" => flags::ECT | flags::CE,
                    "cwr" => flags::CWR,
                    other => panic!("no such flag: {other}"),
                });
                Segment {
                    seq: start,
                    len,
                    flags: said.fold(if bare { 0 } else { flags::ACK }, |all, one| all | one),
                    ..Segment::default()
                }
            }
            _ => return false,
        };
        let segment = Segment { times, ..segment };
        self.arrival = self.receiver.on_segment(now, &segment, out);
        true
    }

    fn state(&self, words: &[&str], line: &str) {
        let arrival = match self.arrival {
            Arrival::New { readable } => format!("new {readable}"),
            Arrival::Duplicate => "duplicate".to_owned(),
            Arrival::Control => "control".to_owned(),
            Arrival::Unacceptable => "unacceptable".to_owned(),
            Arrival::Suppressed => "suppressed".to_owned(),
        };
        assert_eq!(words.join(" "), arrival, "{line}");
    }

    fn fire(&mut self, now: SimTime, _: Timer, out: &mut Vec<Action>) {
        self.receiver.on_timer(now, out);
    }

    fn written(&self, segment: &Segment) -> String {
        let syn = if segment.flags & flags::SYN != 0 { "syn-" } else { "" };
        let echo = if segment.flags & flags::ECE != 0 { "e" } else { "" };
        let mut text = format!("{syn}{}{echo}", segment.ack / SEGMENT);
        if segment.window != self.full_window {
            text += &format!("({})", segment.window / 1000);
        }
        if segment.times.echo() != 0 {
            text += &format!("@{}", segment.times.echo() - 1);
        }
        for (position, (start, end)) in segment.sack.around(segment.ack).enumerate() {
            text += &format!(
                "{} {}-{}",
                if position == 0 { " sack" } else { "" },
                start / SEGMENT,
                end / SEGMENT
            );
        }
        text
    }
}

/// A sender with these settings.
pub(super) fn sender(config: TcpConfig) -> Sender {
    Sender::new(config, FlowId(0))
}

/// A receiver with these settings.
pub(super) fn receiver(config: &TcpConfig) -> Receiving {
    let full_window = config.max_window * config.segment.0;
    Receiving { receiver: Receiver::new(config), arrival: Arrival::Control, full_window }
}
