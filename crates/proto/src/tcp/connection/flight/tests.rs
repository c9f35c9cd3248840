//! What is decided of data in flight, without a sender: ten segments of 1000 bytes have left.

use std::sync::Arc;

use super::super::room::Room;
use super::machine::Flight;
use super::repairing::{Place, Step};
use crate::tcp::config::{EcnMode, Loss, PartialAckRestart, TcpConfig, Window};
use crate::units::{Bytes, Dur, SimTime};
use crate::wire::flags;

const SRTT: Option<Dur> = Some(Dur::from_ms(100));

fn config() -> TcpConfig {
    TcpConfig { segment: Bytes(1000), initial_window: 10, ..TcpConfig::default() }
}

fn flying(config: TcpConfig) -> (Flight, Room) {
    let room = Room::new(&config);
    let mut flight = Flight::new(Arc::new(config));
    flight.open_at_once();
    flight.stream_mut().write(20_000);
    for seq in (0..10_000).step_by(1000) {
        assert!(flight.leaves(SimTime::ZERO, seq, seq + 1000).new);
        flight.stream_mut().sent_to(seq + 1000);
    }
    (flight, room)
}

fn ack(flight: &mut Flight, segments: u64) -> Place {
    flight.acked(SimTime::from_ms(100), segments * 1000, None).1
}

/// A recovery ends where it began: with the last byte that was in flight then.
#[test]
fn recovery_lasts_until_all_that_was_in_flight_has_arrived() {
    let (mut flight, room) = flying(config());
    assert_eq!(ack(&mut flight, 1), Place::Outside);
    assert!(flight.lose(false, &room) && flight.is_recovering());
    assert!(flight.control().window().cwnd < 10.0);
    assert_eq!(ack(&mut flight, 9), Place::Within);
    assert_eq!(ack(&mut flight, 10), Place::AtEnd);
    assert!(flight.end_recovery() && !flight.is_recovering());
}

/// RFC 6582 §3.2: a partial ACK repairs the next hole, and only the first restarts the timer, unless all shall.
#[test]
fn a_partial_ack_repairs_and_restarts_the_timer_once() {
    for (rule, second) in [(PartialAckRestart::First, false), (PartialAckRestart::Every, true)] {
        let config = TcpConfig { window: Window::Newreno, partial_ack_restart: rule, ..config() };
        let (mut flight, room) = flying(config);
        flight.lose(false, &room);
        let repairs = |restarts| Step { restarts, grows: false, repairs: true };
        ack(&mut flight, 2);
        assert_eq!(flight.on_partial_ack(2.0), repairs(true));
        ack(&mut flight, 4);
        assert_eq!(flight.on_partial_ack(2.0), repairs(second));
    }
}

/// Reno leaves recovery with a partial ACK, and grows.
#[test]
fn reno_leaves_recovery_with_a_partial_ack() {
    let (mut flight, room) = flying(TcpConfig { window: Window::Reno, ..config() });
    flight.lose(false, &room);
    ack(&mut flight, 2);
    assert_eq!(flight.on_partial_ack(2.0), Step { restarts: true, grows: true, repairs: false });
    assert!(!flight.is_recovering());
}

/// Tahoe knows no recovery: all is sent again.
#[test]
fn tahoe_goes_back() {
    let (mut flight, room) = flying(TcpConfig { window: Window::Tahoe, ..config() });
    assert!(!flight.lose(false, &room) && !flight.is_recovering());
    assert_eq!((flight.stream().nxt(), flight.stream().max_sent()), (0, 10_000));
}

/// A timeout goes back to the first byte with a window of one segment, and what leaves again says so.
#[test]
fn a_timeout_goes_back_and_ends_recovery() {
    let (mut flight, room) = flying(config());
    flight.lose(false, &room);
    assert!(!flight.time_out(SimTime::from_ms(1000), false, SRTT), "no mark told of it");
    assert!(!flight.is_recovering());
    assert_eq!((flight.stream().nxt(), flight.window()), (0, 1000));
    assert!(!flight.leaves(SimTime::from_ms(1000), 0, 1000).new);
}

/// A tail loss probe takes new data if there are any that the receiver takes, else the last segment, if that is known.
#[test]
fn a_probe_of_the_tail_prefers_new_data() {
    let config = TcpConfig { loss: Loss::Sack, ..config() };
    let logged = TcpConfig {
        tail_probe: crate::tcp::TailProbeConfig { on: true, ..config.tail_probe },
        ..config.clone()
    };
    let (flight, mut room) = flying(logged);
    assert_eq!(flight.tail(&room), Some((10_000, 11_000)));
    room.hear_window(10_000);
    assert_eq!(flight.tail(&room), Some((9000, 10_000)));
    let (flight, mut room) = flying(config);
    room.hear_window(10_000);
    assert_eq!(flight.tail(&room), None, "nothing is logged");
}

/// RFC 3168 §6.1.2: marks reduce the window once for each window of data, and the next new segment says so; §6.1.6: a
/// probe of the receiver's window does not, and leaves it to that segment.
#[test]
fn an_echo_counts_once_for_each_window_of_data() {
    let (mut flight, room) = flying(TcpConfig { ecn: EcnMode::Classic, ..config() });
    let before = flight.control().window().cwnd;
    assert_eq!(flight.on_echo(1000, &room), Some(false));
    let once = flight.control().window().cwnd;
    assert!(once < before);
    assert_eq!(flight.on_echo(10_000, &room), None);
    assert_eq!(flight.probes(SimTime::ZERO, 0, 1).flags, flags::ACK);
    let said = |flight: &mut Flight| flight.leaves(SimTime::ZERO, 10_000, 11_000).flags & flags::CWR;
    assert_eq!([said(&mut flight), said(&mut flight)], [flags::CWR, 0]);
    assert_eq!(flight.on_echo(10_001, &room), Some(false));
    assert!(flight.control().window().cwnd < once);
}

/// What a needless recovery took is given back, once.
#[test]
fn a_needless_reduction_is_taken_back() {
    let (mut flight, room) = flying(TcpConfig { undo: true, loss: Loss::Sack, ..config() });
    let before = flight.control().window().cwnd;
    flight.lose(false, &room);
    flight.leaves(SimTime::from_ms(10), 0, 1000);
    flight.repaired_first(0, 1000);
    assert!(!flight.shows_needless_recovery());
    flight.came_twice((0, 1000));
    assert!(flight.shows_needless_recovery() && flight.take_back(false));
    assert_eq!((flight.control().window().cwnd, flight.is_recovering()), (before, false));
    assert!(!flight.take_back(false));
}
