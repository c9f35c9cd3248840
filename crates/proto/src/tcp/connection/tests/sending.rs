//! Sending without loss: slow start, congestion avoidance, windows, short segments, the end of a transfer.

use super::script::{config, run, sender};
use crate::tcp::window::Congestion;
use crate::tcp::{IdleRestart, TcpConfig};
use crate::units::Bytes;

#[test]
fn slow_start_sends_two_segments_for_each_ack() {
    run(
        &mut sender(config()),
        "0    open
         0    write endless
         0    > 0 1
         0.1  < 1
         0.1  > 2 3
         0.1  < 2
         0.1  > 4 5
         0.1  = cwnd 4 ssthresh 20 una 2 nxt 6
         0.2  < 3
         0.2  > 6 7
         0.2  < 6               // one ACK for three segments opens by one
         0.2  > 8 9 10 11
         0.2  = cwnd 6",
    );
}

/// RFC 5681 §3.1: the first threshold is whatever is configured.
#[test]
fn the_first_slow_start_ends_at_the_first_threshold() {
    run(
        &mut sender(TcpConfig { initial_ssthresh: Some(3), ..config() }),
        "0    open
         0    write endless
         0    > 0 1
         0    = cwnd 2 ssthresh 3
         0.1  < 1
         0.1  > 2 3
         0.1  < 2
         0.1  > 4
         0.1  < 3
         0.1  > 5
         0.1  < 4
         0.1  > 6
         0.1  < 5
         0.1  > 7 8
         0.1  = ssthresh 3",
    );
}

#[test]
fn congestion_avoidance_opens_by_one_segment_a_window() {
    run(
        &mut sender(TcpConfig { max_window: 4, initial_window: 4, ..config() }),
        "0    open
         0    write endless
         0    > 0 1 2 3
         0.1  < 1
         0.1  > 4
         0.1  = cwnd 4.25
         0.1  < 2
         0.1  > 5
         0.1  < 3
         0.1  > 6
         0.1  < 4
         0.1  > 7
         0.1  = cwnd 4.9206     // + 1/4 + 1/4.25 + 1/4.485 + 1/4.708
         0.1  = ssthresh 4",
    );
}

#[test]
fn the_receive_window_limits_what_is_outstanding() {
    run(
        &mut sender(TcpConfig { max_window: 3, initial_window: 10, ..config() }),
        "0    open
         0    write endless
         0    > 0 1 2
         0.1  < 1
         0.1  > 3
         0.1  < 4
         0.1  > 4 5 6",
    );
}

#[test]
fn the_last_segment_may_be_short_and_the_transfer_completes_once() {
    run(
        &mut sender(config()),
        "0    open
         0    write 2+500
         0    > 0 1
         0.1  < 1
         0.1  > 2(500)
         0.2  < 2
         0.2  = rto 0.5         // segment 2 is the one that is timed now
         0.2  < 2+500
         0.2  ! completed
         0.2  = rto off
         0.3  < 2+500
         9    = cwnd 4.5         // half a segment opens by half",
    );
}

#[test]
fn an_application_that_writes_in_pieces_is_served_as_it_writes() {
    run(
        &mut sender(config()),
        "0    open
         0    = rto off
         0    write 0+300
         0    > 0(300)
         0    write 0+300
         0    > 0+300(300)
         0.1  < 0+600
         0.1  ! completed",
    );
}

#[test]
fn stop_lets_what_is_outstanding_be_acknowledged() {
    run(
        &mut sender(config()),
        "0    open
         0    write endless
         0    > 0 1
         0    stop
         0.1  < 1
         0.1  < 2
         0.1  ! completed
         0.1  = rto off",
    );
}

#[test]
fn the_round_trip_is_timed_one_segment_at_a_time() {
    run(
        &mut sender(config()),
        "0    open
         0    write endless
         0    > 0 1
         0    = timeout 1
         0    = rto 1
         0.1  < 1
         0.1  > 2 3
         0.1  = srtt 0.1 timeout 0.3
         0.1  = rto 0.4
         0.12 < 2               // segment 1 was not timed
         0.12 > 4 5
         0.12 = srtt 0.1
         0.12 = rto 0.42        // but a new ACK restarts the timer
         0.2  < 3
         0.2  > 6 7
         0.2  = srtt 0.1 timeout 0.25",
    );
}

/// RFC 5681 §3.1: slow start opens by what was acknowledged, at most by a segment.
#[test]
fn an_ack_of_little_opens_little() {
    run(
        &mut sender(config()),
        "0    open
         0    write 0+250
         0    > 0(250)
         0.1  < 0+250
         0.1  ! completed
         0.1  = cwnd 2.25",
    );
}

/// RFC 5681 equation 2 counts bytes: ten ACKs of a tenth of a segment open the window by one.
#[test]
fn ten_acks_of_a_tenth_open_a_whole_segment() {
    let mut sender = sender(config());
    run(
        &mut sender,
        "0    open
         0    write endless
         0    > 0 1
         0.1  < 0+100
         0.1  < 0+200
         0.1  < 0+300
         0.1  < 0+400
         0.1  < 0+500
         0.1  < 0+600
         0.1  < 0+700
         0.1  < 0+800
         0.1  < 0+900
         0.1  < 1
         0.1  > 2 3
         0.1  = cwnd 3",
    );
    for (parts, segment) in [(3, 999), (7, 1460), (11, 536), (536, 536), (1460, 1460)] {
        let config = TcpConfig { segment: Bytes(segment), max_window: 1000, ..config() };
        let mut congestion = Congestion::new(&config);
        for part in 0..parts {
            let bytes = segment * (part + 1) / parts - segment * part / parts;
            congestion.open(f64::from(bytes) / f64::from(segment));
        }
        assert_eq!(congestion.segments(), 3, "{segment} bytes in {parts} parts");
    }
}

//  srtt 0.1, so that the timeout is 0.3 s; then 0.2 s and 1 s without data
#[test]
fn an_idle_connection_starts_again_with_a_small_window() {
    for (idle_restart, window) in
        [(IdleRestart::Off, 6), (IdleRestart::InitialWindow, 2), (IdleRestart::OneSegment, 1)]
    {
        let mut sender = sender(TcpConfig { idle_restart, ..config() });
        run(
            &mut sender,
            "0    open
             0    write 2
             0    > 0 1
             0.1  < 2
             0.1  ! completed
             0.1  write 3
             0.1  > 2 3 4
             0.15 < 3
             0.15 < 4
             0.15 < 5
             0.3  write 0+1
             0.3  > 5(1)
             0.35 < 5+1",
        );
        let mut view = sender.view();
        assert!((view.cwnd - 6.001).abs() < 1e-9, "0.15 s are no idleness: {}", view.cwnd);
        run(&mut sender, &format!("1.35 write {window}+999\n{}", sent_from_5(window)));
        view = sender.view();
        assert_eq!((view.cwnd as u32, view.ssthresh as u32), (window, 20), "{idle_restart:?}");
    }
}

//  srtt 0.1, so that the timeout is 0.25 s: after 0.26 s without data three of six segments are left, and then two
#[test]
fn an_idle_window_may_be_halved_for_each_timeout() {
    for (ms, left) in [(240, 6), (260, 3), (510, 2), (9000, 2)] {
        let config = TcpConfig { idle_restart: IdleRestart::Halving, whole_window: true, ..config() };
        let mut sender = sender(config);
        run(
            &mut sender,
            "0    open
             0    write 2
             0    > 0 1
             0.1  < 2
             0.1  ! completed
             0.1  write 3
             0.1  > 2 3 4
             0.2  < 3
             0.2  < 4
             0.2  < 5",
        );
        assert_eq!(sender.view().cwnd, 6.0);
        let at = 0.1 + f64::from(ms) / 1000.0;
        run(&mut sender, &format!("{at:.3} write 1\n{at:.3} > 5"));
        let view = sender.view();
        assert_eq!((view.cwnd as u32, view.ssthresh as u32), (left, 20), "{ms} ms");
    }
}

/// `window` full segments, the first at byte 5001.
fn sent_from_5(window: u32) -> String {
    let sent: Vec<String> = (0..window).map(|segment| format!("{}+1", 5 + segment)).collect();
    format!("1.35 > {}", sent.join(" "))
}
