//! ADTCP's loss detector: a loss is what the receiver takes the path for.

use super::loss_detectors::counters;
use super::script::{EIGHT_SENT, after, config, run, sender};
use crate::tcp::loss::LossDetectorKind;
use crate::tcp::{Loss, Sender, TcpConfig};
use crate::wire::{PathOption, PathState};

/// What an ACK says, by its name in a script.
pub(super) fn said(state: &str) -> PathOption {
    PathOption::State(match state {
        "normal" => PathState::Normal,
        "congestion" => PathState::Congestion,
        "route-change" => PathState::RouteChange,
        "channel-error" => PathState::ChannelError,
        "disconnected" => PathState::Disconnected,
        other => panic!("no such state: {other}"),
    })
}

fn adtcp(loss: Loss) -> Sender {
    sender(TcpConfig { judge: LossDetectorKind::Adtcp, loss, initial_window: 8, ..config() })
}

#[test]
fn a_loss_is_congestion_unless_the_receiver_says_otherwise() {
    for state in ["", "says normal", "says congestion", "says disconnected"] {
        let mut sender = adtcp(Loss::DupAcks);
        let duplicate = format!("0.1 < 0 {state}\n");
        let rest = format!("0.1 < 0 {state}\n0.1 ! fast 0\n0.1 > 0\n0.1 = cwnd 4 ssthresh 4");
        run(&mut sender, &after(&[EIGHT_SENT, &duplicate, &duplicate], &rest));
        assert_eq!(counters(&sender), [0; 4]);
    }
}

#[test]
fn channel_errors_are_repaired_with_the_window_as_it_is() {
    let mut sender = adtcp(Loss::DupAcks);
    run(
        &mut sender,
        &after(
            &[EIGHT_SENT],
            "0.1  < 0
             0.1  < 0
             0.1  < 0 says channel-error
             0.1  > 0
             0.1  < 0 says channel-error
             0.1  > 8               // the clock goes on
             0.2  < 3 says channel-error
             0.2  > 3 9 10 11       // a partial ACK ends at the next hole
             0.2  = cwnd 9 ssthresh 20
             0.2  < 3 says channel-error
             0.2  > 12
             0.3  < 10
             0.3  > 13 14 15 16 17 18 19
             0.3  = cwnd 10",
        ),
    );
    assert_eq!(counters(&sender), [0, 0, 2, 0], "delays, averted, repairs, slowed");
}

#[test]
fn with_sack_its_holes_are_repaired() {
    let mut sender = adtcp(Loss::Sack);
    run(
        &mut sender,
        &after(
            &[EIGHT_SENT],
            "0.1  < 0 sack 1-2
             0.1  < 0 sack 1-3
             0.1  < 0 sack 1-4 says channel-error
             0.1  > 0
             0.1  < 0 sack 1-4 5-6 says channel-error
             0.1  > 8
             0.1  < 0 sack 1-4 5-7 says channel-error
             0.1  > 9
             0.1  < 0 sack 1-4 5-8 says channel-error
             0.1  > 4
             0.1  = cwnd 8 ssthresh 20",
        ),
    );
    assert_eq!(counters(&sender), [0, 0, 2, 0]);
}

#[test]
fn a_hole_while_the_receiver_says_congestion_ends_the_repairs() {
    let mut sender = adtcp(Loss::DupAcks);
    run(
        &mut sender,
        &after(
            &[EIGHT_SENT],
            "0.1  < 0
             0.1  < 0
             0.1  < 0 says channel-error
             0.1  > 0
             0.2  < 3 says congestion
             0.2  ! fast 3
             0.2  > 3
             0.2  = cwnd 4 ssthresh 4
             0.3  < 8 says congestion // all that was outstanding then: the window is halved once
             0.3  > 8 9 10 11
             0.3  = cwnd 4.25 ssthresh 4",
        ),
    );
}

//  A round trip is 100 ms: 0.1 to 0.2 s brings three segments.
#[test]
fn on_another_route_the_window_is_what_a_round_trip_got_through() {
    let mut sender = adtcp(Loss::DupAcks);
    run(
        &mut sender,
        &after(
            &[EIGHT_SENT],
            "0.1  < 1
             0.1  > 8 9
             0.15 < 2
             0.15 > 10 11
             0.2  < 4
             0.2  > 12 13 14
             0.2  = cwnd 11 ssthresh 20
             0.21 < 4
             0.21 < 4
             0.21 < 4 says route-change
             0.21 > 4
             0.21 = cwnd 3 ssthresh 20",
        ),
    );
    assert_eq!(counters(&sender), [0, 0, 1, 0]);
}

#[test]
fn on_another_route_before_the_first_round_trip_the_window_stays() {
    let mut sender = adtcp(Loss::DupAcks);
    run(
        &mut sender,
        &after(&[EIGHT_SENT], "0.1 < 0\n0.1 < 0\n0.1 < 0 says route-change\n0.1 > 0\n0.1 = cwnd 8"),
    );
}

#[test]
fn congestion_without_a_loss_halves_the_window_once_for_a_window_of_data() {
    let mut sender = adtcp(Loss::DupAcks);
    run(
        &mut sender,
        &after(
            &[EIGHT_SENT],
            "0.1  < 2 says congestion
             0.1  = cwnd 4 ssthresh 4
             0.1  < 4 says congestion // among the same window of data
             0.1  = cwnd 4.25
             0.1  < 4
             0.1  < 4
             0.1  < 4 says congestion // a loss among it is not halved for again
             0.1  ! fast 4
             0.1  > 4 8 9 10
             0.1  = cwnd 4.25",
        ),
    );
    assert_eq!(counters(&sender), [0, 0, 0, 1]);
}

#[test]
fn a_timeout_ends_the_repairs_and_halves_for_all_that_was_outstanding() {
    let mut sender = adtcp(Loss::DupAcks);
    run(
        &mut sender,
        &after(
            &[EIGHT_SENT],
            "0.1  < 0
             0.1  < 0
             0.1  < 0 says channel-error
             0.1  > 0
             1    ! timeout 0
             1    > 0
             1.1  < 3 says congestion
             1.1  > 3 4
             1.1  = cwnd 2 ssthresh 4
             1.1  < 3                // no hole is repaired any more
             1.1  = dupacks 1",
        ),
    );
    assert_eq!(counters(&sender), [0, 0, 1, 0]);
}
