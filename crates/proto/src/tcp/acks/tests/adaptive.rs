//! When ACKs go that follow the pace of segments.

use crate::contract::ReceiverView;
use crate::tcp::acks::{AckPolicy, Adaptive, Every, Heard, InOrder, When};
use crate::tcp::config::{ReceiveBuffer, TcpConfig};
use crate::units::{Bytes, Dur, SimTime};
use crate::wire::RangeSet;

/// A receiver with a window of 45 segments of 1000 bytes and 16 quick ACKs, whose handshake took 100 ms.
struct Rig {
    acks: Adaptive,
    now: SimTime,
    pending: u32,
    window: u32,
}

impl Rig {
    fn new(window: u32) -> Self {
        let config = TcpConfig {
            segment: Bytes(1000),
            quick_acks: 16,
            min_rto: Dur::from_ms(200),
            ..TcpConfig::default()
        };
        let then = Every { segments: 2, delay: Dur::from_ms(40), buffer: ReceiveBuffer::Window };
        let mut acks = Adaptive::new(&config, then);
        let now = SimTime::from_secs(1);
        acks.hear(Heard::Opened(now));
        Self { acks, now: now + Dur::from_ms(80), pending: 0, window }
    }

    /// A segment comes so many milliseconds after the last one.
    fn after(&mut self, ms: u64, widened: bool) -> When {
        self.now += Dur::from_ms(ms);
        self.pending += 1;
        let segment = InOrder { now: self.now, seq: 0, len: 1000, pending: self.pending, widened };
        let (waiting, window) = (RangeSet::default(), self.window);
        let view = || ReceiverView { expected: 0, waiting: &waiting, pending: 1, window, frozen: false };
        let when = self.acks.when(&segment, &view);
        if when == When::Now {
            self.pending = 0;
            self.acks.hear(Heard::Acknowledged);
        }
        when
    }

    /// How many segments, so many milliseconds apart, are acknowledged one by one before one is not.
    fn quick(&mut self, ms: u64) -> u32 {
        (0..).take_while(|_| self.after(ms, false) == When::Now).count() as u32
    }
}

/// Half a window, at most 16, at least two.
#[test]
fn a_connection_begins_with_quick_acks() {
    for (window, quick) in [(45_000, 16), (20_000, 10), (1000, 2)] {
        assert_eq!(Rig::new(window).quick(20), quick, "{window}");
    }
}

/// After silence longer than a timeout (100 ms and 200 ms), and after a segment that came twice, they come again.
#[test]
fn quick_acks_come_again_after_silence_and_repetition() {
    let mut rig = Rig::new(45_000);
    rig.quick(20);
    assert_eq!(rig.after(20, false), When::Now, "the second of a pair");
    assert_eq!(rig.after(301, false), When::Now);
    assert_eq!(rig.quick(20), 15);
    rig.after(20, false);
    assert!(matches!(rig.after(299, false), When::Within(_)));
    rig.acks.hear(Heard::Repeated { window: 45_000 });
    rig.pending = 0;
    assert_eq!(rig.quick(20), 16);
    rig.after(20, false);
    rig.acks.hear(Heard::Marked { window: 45_000 });
    assert_eq!(rig.quick(20), 2);
}

/// A segment with which the window grows is acknowledged at once.
#[test]
fn growth_of_the_window_is_told_at_once() {
    let mut rig = Rig::new(45_000);
    rig.quick(20);
    rig.after(20, false);
    assert_eq!((0..5).filter(|_| rig.after(20, true) == When::Now).count(), 5);
    assert!(matches!(rig.after(20, false), When::Within(_)));
}

/// Segments 60 ms apart: the delay goes from 40 ms towards 120 ms, as far as the round trip of the handshake allows.
/// Segments in quick succession bring it back.
#[test]
fn the_delay_follows_the_time_between_segments() {
    let mut rig = Rig::new(45_000);
    rig.quick(20);
    let mut delays = |ms: u64, count: usize| -> Vec<u64> {
        let answers = (0..2 * count).map(|_| rig.after(ms, false));
        answers
            .filter_map(
                |when| if let When::Within(delay) = when { Some(delay.as_ns() / 1_000_000) } else { None },
            )
            .collect()
    };
    assert_eq!(delays(30, 3), [55, 58, 59]);
    assert_eq!(delays(45, 3), [82, 88, 89]);
    assert_eq!(delays(60, 1), [100]);
    assert_eq!(delays(2, 10).last(), Some(&40));
}

/// The timer has fired: the next segment is given twice the time, at most 200 ms.
#[test]
fn a_delay_that_was_too_short_is_doubled() {
    let mut rig = Rig::new(45_000);
    rig.quick(20);
    rig.acks.hear(Heard::Late);
    rig.pending = 0;
    assert_eq!(rig.after(50, false), When::Within(Dur::from_ms(90)));
}
