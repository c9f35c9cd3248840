//! Timestamps and window scale (RFC 7323), and what a sender concludes from echoes (RFC 3522).

use super::rack::racking;
use super::script::{TEN_SENT, config, receiver, run, sender};
use crate::contract::Control;
use crate::tcp::config::SlowStart;
use crate::tcp::connection::{Action, Arrival, Input, Receiver};
use crate::tcp::{Handshake, Loss, TcpConfig, Window};
use crate::units::{Bytes, Dur, SimTime};
use crate::wire::{Segment, Timestamps, flags};

fn stamping(config: TcpConfig) -> TcpConfig {
    TcpConfig { timestamps: true, ..config }
}

/// A sender of four segments at first, without SACK, that undoes by timestamps alone.
fn eifel() -> TcpConfig {
    stamping(TcpConfig { initial_window: 4, undo: true, tick: Dur::from_ms(1), ..config() })
}

/// §4.3 (A), (B), (C): an ACK for two segments echoes the first; one that leaves a gap changes nothing; one that fills
/// it is echoed.
#[test]
fn the_earliest_segment_that_an_ack_is_for_is_echoed() {
    run(
        &mut receiver(&stamping(TcpConfig { ack_every: 2, loss: Loss::Sack, ..config() })),
        "
        1    < 0 at 900
        1.01 < 1 at 910
        1.01 > 2@900
        1.02 < 3 at 930
        1.02 > 2@900 sack 3-4
        1.03 < 2 at 1000
        1.03 > 4@1000",
    );
}

/// §5.3: a segment stamped before the one that was heard last is dropped and answered. What came twice is told.
#[test]
fn a_segment_of_an_earlier_time_is_dropped_and_answered() {
    run(
        &mut receiver(&stamping(TcpConfig { loss: Loss::Sack, dsack: true, ..config() })),
        "
        1    < 0 at 900
        1    > 1@900
        1.1  < 1 at 890
        1.1  > 1@900
        1.1  = unacceptable
        1.2  < 0 at 890
        1.2  > 1@900 sack 0-1
        1.2  = duplicate
        1.3  < 1 at 900
        1.3  > 2@900
        1.3  = new 1000",
    );
}

/// §4.1: an ACK gives a round trip of what was sent twice, too. Karn's rule would have none here.
#[test]
fn the_echo_of_a_repair_gives_a_round_trip() {
    for (times, srtt) in [(" echo 1000", 0.25), ("", 0.0)] {
        let script = format!(
            "
            0    open
            0    write endless
            0    > 0 1 2 3
            1    ! timeout 0
            1    > 0
            1.25 < 1{times}
            1.25 > 1 2
            1.25 = srtt {srtt}"
        );
        let config = TcpConfig { timestamps: !times.is_empty(), undo: false, ..eifel() };
        run(&mut sender(config), &script);
    }
}

/// A log of sent segments that window or slow start has asked for does not take the place of echoes.
#[test]
fn echoes_give_round_trips_beside_a_log_too() {
    for (window, slow_start) in [
        (Window::Newreno, SlowStart::Standard),
        (Window::Newreno, SlowStart::HyStart),
        (Window::Newreno, SlowStart::HyStartPlus),
        (Window::Vegas, SlowStart::Standard),
    ] {
        run(
            &mut sender(TcpConfig { window, slow_start, ..eifel() }),
            "
            0    open
            1    write 4
            1    > 0 1 2 3
            1.25 < 4 echo 1000
            1.25 ! completed
            1.25 = srtt 0.25",
        );
    }
}

/// RFC 3522 §3: the ACK after a timeout echoes the first sending. Nothing was lost, so the window is as before, and new
/// data go on.
#[test]
fn an_ack_for_the_first_sending_takes_a_timeout_back() {
    run(
        &mut sender(eifel()),
        "
        0    open
        0    write endless
        0    > 0 1 2 3
        1    ! timeout 0
        1    > 0
        1    = cwnd 1
        1.1  < 1 echo 0
        1.1  ! undone 0
        1.1  > 4 5
        1.1  = cwnd 5",
    );
}

/// The echo of the repair says that it was needed.
#[test]
fn an_ack_for_the_repair_takes_nothing_back() {
    run(
        &mut sender(eifel()),
        "
        0    open
        0    write endless
        0    > 0 1 2 3
        1    ! timeout 0
        1    > 0
        1.1  < 1 echo 1000
        1.1  > 1 2
        1.1  = cwnd 2",
    );
}

/// A fast retransmit of a segment that was only late (RFC 3522 §3; Linux `tcp_try_undo_recovery`).
#[test]
fn a_late_segment_takes_a_fast_retransmit_back() {
    let script = |echo: u32| {
        format!(
            "
        0.1  < 0 sack 1-2 echo 0
        0.1  > 10
        0.1  < 0 sack 1-3 echo 0
        0.1  > 11
        0.1  < 0 sack 1-4 echo 0
        0.1  ! fast 0
        0.1  > 0
        0.11 < 12 echo {echo}"
        )
    };
    let config = stamping(TcpConfig { undo: true, ..racking() });
    let mut end = sender(config.clone());
    let sent = "\n        0.11 > 12 13 14 15 16 17 18 19 20 21 22";
    run(&mut end, &[TEN_SENT, &script(0), "\n0.11 ! undone 0", sent].concat());
    let mut end = sender(config);
    run(&mut end, &[TEN_SENT, &script(100), "\n0.11 > 12 13 14 15 16\n0.11 = cwnd 5.2 ssthresh 5"].concat());
}

/// Linux `tcp_try_undo_partial`: a partial ACK for the first sending ends recovery, and shows that segments come out of
/// order. Three segments held then wait for a quarter of the least round trip, as two do.
#[test]
fn a_segment_that_was_only_late_makes_rack_wait() {
    let config = stamping(TcpConfig { undo: true, ..racking() });
    run(
        &mut sender(config),
        "
        0    open
        0    write endless
        0    > 0 1 2 3 4 5 6 7 8 9
        0.1  < 0 sack 1-4 echo 0
        0.1  ! fast 0
        0.1  > 0
        0.11 < 4 echo 0
        0.11 ! undone 0
        0.11 > 10 11 12 13 14
        0.11 = cwnd 11
        0.12 < 4 sack 5-8 echo 0
        0.12 > 15 16 17
        0.14 < 8 echo 0
        0.14 > 18 19",
    );
}

fn answers(config: &TcpConfig, segment: Segment) -> Vec<Segment> {
    let (mut receiver, mut out) = (Receiver::new(config), Vec::new());
    let arrival = receiver.on_segment(SimTime::from_secs(1), &segment, &mut out);
    assert_ne!(arrival, Arrival::Unacceptable);
    out.into_iter()
        .filter_map(|action| if let Action::Send(segment) = action { Some(segment) } else { None })
        .collect()
}

/// §2.2, §2.3: the SYN has the scale and a window without it; afterwards the window is a multiple of the scale. Options
/// count on the air: 12 bytes for times, 4 for the scale.
#[test]
fn a_scaled_window_is_a_multiple_and_that_of_a_syn_is_small() {
    let config = stamping(TcpConfig {
        segment: Bytes(1448),
        max_window: 401,
        window_scaling: true,
        handshake: Handshake::Syn,
        ..config()
    });
    let times = Timestamps::new(SimTime::from_ms(500), 0);
    let syn = answers(&config, Segment { flags: flags::SYN, times, ..Segment::default() });
    assert_eq!((syn[0].window, syn[0].scale, syn[0].options()), (65_535, 4, 16));
    let data = Segment { len: 1448, flags: flags::ACK, times, ..Segment::default() };
    let ack = answers(&config, data);
    assert_eq!((ack[0].window, ack[0].options()), (401 * 1448 / 16 * 16, 12));
    assert_eq!(ack[0].times, Timestamps::new(SimTime::from_secs(1), 501));
    let plain = answers(&TcpConfig { window_scaling: false, timestamps: false, ..config }, data);
    assert_eq!((plain[0].window, plain[0].scale, plain[0].options()), (401 * 1448, 0, 0));
}

/// The least scale with which a header can say the largest window, at most 14.
#[test]
fn the_scale_is_the_least_that_is_enough() {
    let scale =
        |max_window| TcpConfig { segment: Bytes(1000), max_window, window_scaling: true, ..config() }.scale();
    assert_eq!([65, 66, 131, 132, 1_000_000].map(scale), [0, 1, 1, 2, 14]);
}

/// With `receiver.autotune` the window that ACKs tell grows by two segments for each that comes, up to the buffer.
#[test]
fn an_autotuned_window_grows_with_what_comes() {
    let receiver = crate::tcp::ReceiverConfig { autotune: true, window: 4, buffer: 7, ..Default::default() };
    let mut end = Receiver::new(&TcpConfig { receiver, ..config() });
    let windows: Vec<u32> = (0..3)
        .flat_map(|seq| {
            let mut out = Vec::new();
            let data = Segment { seq: seq * 1000, len: 1000, flags: flags::ACK, ..Segment::default() };
            end.on_segment(SimTime::from_ms(seq), &data, &mut out);
            out
        })
        .filter_map(|action| if let Action::Send(ack) = action { Some(ack.window) } else { None })
        .collect();
    assert_eq!(windows, [6000, 7000, 7000]);
}

/// A SYN that a shim has sent as a probe has the options of the first one.
#[test]
fn a_syn_that_probes_has_the_options_too() {
    let handshake = Handshake::Syn;
    let config = stamping(TcpConfig { handshake, window_scaling: true, max_window: 100, ..config() });
    let mut end = sender(config);
    let mut syn = |ms, input| {
        let mut out = Vec::new();
        end.handle(SimTime::from_ms(ms), input, &mut out);
        let sent = out.into_iter().find_map(|it| if let Action::Send(it) = it { Some(it) } else { None });
        sent.expect("a SYN")
    };
    let first = syn(5, Input::Open);
    let probe = syn(105, Input::Control(Control::Probe));
    assert!(first.scale > 0 && first.options() > 0);
    assert_eq!((probe.flags, probe.scale, probe.options()), (first.flags, first.scale, first.options()));
    assert_ne!(probe.times, first.times, "its own time");
}
