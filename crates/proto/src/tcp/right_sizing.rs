//! The receive window that grows with the transfer: dynamic right-sizing (Fisk & Feng, *Dynamic adjustment of TCP
//! window sizes*, 2000), by the rules of Linux (`tcp_grow_window`, `tcp_rcv_space_adjust`, `tcp_rcv_rtt_update`).
//!
//! The buffer follows what the application reads in a round trip; the window that is advertised follows the buffer, by
//! two segments for each that arrives.

use super::config::TcpConfig;
use crate::units::{Dur, SimTime};

/// Payload below which a segment does not make the window grow \[bytes\].
const LEAST: u32 = 128;
/// Segments by which the window grows with each that arrives.
const GROWTH: u32 = 2;
/// Segments that are read in the first round trip as far as is known: the initial window of RFC 6928.
const EXPECTED: u32 = 10;

/// A segment with data was taken in.
#[derive(Clone, Copy, Debug)]
pub struct Arrived {
    /// When.
    pub now: SimTime,
    /// Payload in bytes.
    pub len: u32,
    /// Next byte expected, now.
    pub expected: u64,
    /// First byte above all that has arrived.
    pub top: u64,
    /// Time since the sender sent what this segment echoes, if timestamps tell.
    pub echo: Option<Dur>,
}

/// The window of one receiver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RightSizing {
    segment: u32,
    /// Window that may be advertised \[bytes\].
    window: u32,
    /// What the buffer has room for, now and at most \[bytes\].
    room: u32,
    most: u32,
    /// Bytes that were read in the round trip that brought most.
    read: u64,
    /// Next byte expected as this round trip began, and when.
    round: (u64, SimTime),
    /// Byte whose arrival ends the measurement of a round trip without timestamps, and when that began.
    measured: Option<(u64, SimTime)>,
    /// Round-trip time \[ns\].
    rtt: Option<f64>,
    /// When the sender sent what was echoed last.
    echoed: Option<SimTime>,
}

impl RightSizing {
    /// The window at the start of a connection.
    #[must_use]
    pub fn new(config: &TcpConfig) -> Self {
        let bytes = |segments: u32| segments.min(config.max_window).saturating_mul(config.segment.0);
        let window = bytes(config.receiver.window);
        Self {
            segment: config.segment.0,
            window,
            room: bytes(config.receiver.buffer).max(window),
            most: bytes(config.max_window),
            read: u64::from(window.min(EXPECTED.saturating_mul(config.segment.0))),
            round: (0, SimTime::ZERO),
            measured: None,
            rtt: None,
            echoed: None,
        }
    }

    /// Window that may be advertised \[bytes\].
    #[inline]
    #[must_use]
    pub const fn window(&self) -> u32 {
        self.window
    }

    /// A segment was taken in. Returns whether the window has grown.
    pub fn arrive(&mut self, seen: &Arrived) -> bool {
        self.measure(seen);
        let before = self.window;
        if seen.len >= LEAST && self.room > self.window {
            self.window += (GROWTH.saturating_mul(self.segment.max(seen.len))).min(self.room - self.window);
        }
        self.size(seen);
        self.window > before
    }

    /// The round-trip time. By timestamps it is that of the first segment that echoes a time: a shorter one counts at
    /// once, a longer one by an eighth. Without them it is the least time in which a window of data arrived.
    fn measure(&mut self, seen: &Arrived) {
        if let Some(echo) = seen.echo {
            let sent = SimTime::from_ns(seen.now.as_ns().saturating_sub(echo.as_ns()));
            if self.echoed.replace(sent) != Some(sent) {
                let sample = echo.as_ns() as f64;
                self.rtt = Some(self.rtt.map_or(sample, |rtt| sample.min(rtt + (sample - rtt) / 8.0)));
            }
            return;
        }
        if let Some((end, begun)) = self.measured {
            if seen.expected < end {
                return;
            }
            let sample = (seen.now - begun).as_ns() as f64;
            self.rtt = Some(self.rtt.map_or(sample, |rtt| rtt.min(sample)));
        }
        self.measured = Some((seen.expected + u64::from(self.window), seen.now));
    }

    /// Once a round trip: if it brought more than any before, the buffer has room for twice that, and for more the
    /// faster it grows.
    fn size(&mut self, seen: &Arrived) {
        let (from, begun) = self.round;
        let waited = seen.now.saturating_since(begun).as_ns() as f64;
        if self.rtt.is_none_or(|rtt| waited < rtt) {
            return;
        }
        let read = seen.expected - from;
        if read > self.read {
            let twice = 2 * read;
            let growth = twice.saturating_mul(read - self.read) / self.read.max(1);
            let wanted = twice + 2 * growth + (seen.top - seen.expected);
            let wanted = u32::try_from(wanted).unwrap_or(u32::MAX).min(self.most);
            self.room = self.room.max(wanted);
            self.read = read;
        }
        self.round = (seen.expected, seen.now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::config::ReceiverConfig;
    use crate::units::Bytes;

    fn sizing(max_window: u32) -> RightSizing {
        let receiver = ReceiverConfig { autotune: true, window: 45, buffer: 55, ..ReceiverConfig::default() };
        RightSizing::new(&TcpConfig { segment: Bytes(1000), max_window, receiver, ..TcpConfig::default() })
    }

    fn arrived(ms: u64, expected: u64) -> Arrived {
        let echo = Some(Dur::from_ms(100));
        Arrived { now: SimTime::from_ms(ms), len: 1000, expected, top: expected, echo }
    }

    /// Two segments for each that arrives, as far as the buffer goes; a small segment brings nothing.
    #[test]
    fn the_window_grows_up_to_the_buffer() {
        let mut it = sizing(400);
        assert_eq!(it.window(), 45_000);
        assert!(!it.arrive(&Arrived { len: 100, ..arrived(1, 100) }));
        let windows: Vec<_> = (1..=7).map(|n| (it.arrive(&arrived(n, 1000 * n)), it.window())).collect();
        let grown = [47_000, 49_000, 51_000, 53_000, 55_000].map(|window| (true, window));
        assert_eq!(windows[..5], grown);
        assert_eq!(windows[5..], [(false, 55_000); 2]);
    }

    /// Ten segments are expected in a round trip. The first brings 20: twice that, and twice the growth of 100 % on
    /// top.
    #[test]
    fn the_buffer_follows_what_a_round_trip_brings() {
        let mut it = sizing(400);
        for n in 1..=20 {
            it.arrive(&arrived(n, 1000 * n));
        }
        assert_eq!(it.room, 55_000, "no round trip is over");
        it.arrive(&arrived(101, 21_000));
        assert_eq!((it.read, it.room), (21_000, 42_000 + 2 * 42_000 * 11 / 10));
        it.arrive(&arrived(202, 30_000));
        assert_eq!(it.room, 134_400, "a round trip that brings less changes nothing");
    }

    /// Ten segments echo what was sent at 100 ms: only the first is a round trip, of 100 ms. Of the next one, 180 ms,
    /// an eighth counts. One of 90 ms counts at once.
    #[test]
    fn the_first_segment_of_each_echo_times_a_round_trip() {
        let mut it = sizing(400);
        let mut timed = |sent: u64, ms: u64| {
            let echo = Some(Dur::from_ms(ms - sent));
            it.arrive(&Arrived { echo, ..arrived(ms, 1000 * ms) });
            it.rtt
        };
        for n in 0..10 {
            assert_eq!(timed(100, 200 + n), Some(100e6));
        }
        assert_eq!(timed(220, 400), Some(110e6));
        assert_eq!(timed(310, 400), Some(90e6));
    }

    #[test]
    fn no_window_is_above_the_largest() {
        let mut it = sizing(60);
        for n in 1..=200 {
            it.arrive(&arrived(20 * n, 100_000 * n));
        }
        assert_eq!(it.window(), 60_000);
        assert_eq!(sizing(4).window(), 4000);
    }

    /// Without timestamps a round trip is over when a window of data has arrived; the least counts.
    #[test]
    fn without_timestamps_a_window_takes_a_round_trip() {
        let mut it = sizing(400);
        let plain = |ms, expected| Arrived { echo: None, ..arrived(ms, expected) };
        it.arrive(&plain(10, 1000));
        it.arrive(&plain(60, 40_000));
        assert_eq!(it.rtt, None);
        it.arrive(&plain(90, 48_000));
        assert_eq!(it.rtt, Some(80e6));
    }
}
