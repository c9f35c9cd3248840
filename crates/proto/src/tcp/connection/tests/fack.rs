//! Forward acknowledgement (Mathis & Mahdavi 1996).

use super::sack::sacking;
use super::script::{EIGHT_SENT, after, run, sender};
use crate::tcp::{Loss, LossDetectorKind, SackRule, TcpConfig};

fn fack(initial_window: u32) -> TcpConfig {
    TcpConfig { sack_rule: SackRule::Fack, ..sacking(initial_window) }
}

//  Of segments 0 to 9, 0, 1, 2 and 5 are lost.
#[test]
fn what_is_below_the_last_block_has_left_the_network() {
    let mut sender = sender(fack(10));
    run(
        &mut sender,
        "0    open
         0    write endless
         0    > 0 1 2 3 4 5 6 7 8 9
         0.1  < 0 sack 3-4           // four segments to its end: more than three
         0.1  ! fast 0
         0.1  > 0
         0.1  = cwnd 5 ssthresh 5 inflation 0
         0.1  < 0 sack 3-5           // sent beyond it 5, sent again 1
         0.1  < 0 sack 6-7 3-5       // 3 and 1: 5 has left too
         0.1  > 1
         0.1  < 0 sack 6-8 3-5       // 2 and 2
         0.1  > 2
         0.1  < 0 sack 6-9 3-5       // 1 and 3
         0.1  > 5
         0.1  < 0 sack 6-10 3-5      // 0 and 4: all holes were repaired
         0.1  > 10
         0.2  < 1 sack 6-10 3-5      // 1 and 3
         0.2  > 11
         0.2  < 2 sack 6-10 3-5
         0.2  > 12
         0.2  < 5 sack 6-10
         0.2  > 13
         0.2  < 10                   // the end: 10 to 13 are under way
         0.2  > 14",
    );
    assert_eq!((sender.counters().fast_retransmits, sender.counters().retransmissions), (1, 4));
}

/// Three segments to the end of the last block are not enough; three duplicate ACKs are, wherever their blocks end.
#[test]
fn more_than_three_segments_are_a_loss() {
    let far = "0.1  < 0 sack 2-3
               0.1  = dupacks 1
               0.1  < 0 sack 1-3
               0.1  = dupacks 2\n";
    run(&mut sender(fack(8)), &after(&[EIGHT_SENT, far], "0.1 < 0 sack 3-4\n0.1 ! fast 0\n0.1 > 0"));
    run(
        &mut sender(fack(8)),
        &after(
            &[EIGHT_SENT],
            "0.1  < 1 sack 2-4       // three from the first that is missing
             0.1  > 8 9
             0.1  = dupacks 1
             0.1  < 1 sack 4-5 2-4
             0.1  ! fast 1
             0.1  > 1",
        ),
    );
}

/// A timeout forgets the blocks, and what was sent again counts no more.
#[test]
fn a_timeout_goes_back() {
    run(
        &mut sender(fack(8)),
        &after(
            &[EIGHT_SENT],
            "0.1  < 0 sack 4-5
             0.1  ! fast 0
             0.1  > 0
             1.1  ! timeout 0
             1.1  > 0
             1.1  = cwnd 1
             1.2  < 1
             1.2  > 1 2",
        ),
    );
}

#[test]
fn it_needs_sack_and_its_own_evidence() {
    assert!(fack(4).check().is_ok());
    let refused = |config: TcpConfig| format!("{:?}", config.check().unwrap_err());
    let without = refused(TcpConfig { loss: Loss::DupAcks, ..fack(4) });
    assert!(without.contains("technique `fack`"), "{without}");
    let marked = refused(TcpConfig { judge: LossDetectorKind::Rack, ..fack(4) });
    assert!(marked.contains("sack-rule"), "{marked}");
}
