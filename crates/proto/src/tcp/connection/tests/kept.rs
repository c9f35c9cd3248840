//! What SACK told outlasts a timeout (`keep-sacked`), as in ns-3.

use super::sack::sacking;
use super::script::{EIGHT_SENT, after, run, sender};
use crate::tcp::{Loss, SackRule, TcpConfig};

fn keeping(initial_window: u32) -> TcpConfig {
    TcpConfig { keep_sacked: true, ..sacking(initial_window) }
}

//  Of segments 0 to 7 only 2 and 3 have arrived, and later 6.
const TWO_HELD: &str = "0.1  < 0 sack 2-3
                        0.1  < 0 sack 2-4
                        1    ! timeout 0
                        1    > 0
                        1    = cwnd 1 ssthresh 4\n";

#[test]
fn nothing_goes_again_that_is_held() {
    let mut sender = sender(keeping(8));
    run(
        &mut sender,
        &after(
            &[EIGHT_SENT, TWO_HELD],
            "1.1  < 1 sack 2-4
             1.1  > 1 4
             1.1  = cwnd 2
             1.2  < 1 sack 6-7 2-4      // no repair has left for that: 1 and 4 are under way
             1.3  < 4 sack 6-7
             1.3  > 5 7                 // 4, 5 and 7
             1.3  = cwnd 3
             1.4  < 5 sack 6-7
             1.4  > 8 9                 // all was sent again
             1.5  < 8
             1.5  > 10 11",
        ),
    );
    assert_eq!(sender.counters().retransmissions, 5);
}

/// Without the key the sender goes back.
#[test]
fn by_default_it_is_forgotten() {
    run(&mut sender(sacking(8)), &after(&[EIGHT_SENT, TWO_HELD], "1.1  < 1 sack 2-4\n1.1  > 1 2"));
}

/// A second timeout sends again what was sent again, and still nothing that is held.
#[test]
fn a_repair_that_is_lost_waits_for_the_next_timeout() {
    run(
        &mut sender(keeping(8)),
        &after(
            &[EIGHT_SENT, TWO_HELD],
            "1.1  < 1 sack 2-4
             1.1  > 1 4
             1.2  < 1 sack 4-5 2-4
             1.2  > 5
             3.1  ! timeout 1
             3.1  > 1
             3.2  < 5
             3.2  > 5 6",
        ),
    );
}

/// RFC 2018 §8: a receiver that holds the first byte that it does not acknowledge has dropped what it held.
#[test]
fn what_was_dropped_again_is_sent_again() {
    run(
        &mut sender(keeping(8)),
        &after(
            &[EIGHT_SENT],
            "0.1  < 0 sack 0-2
             1    ! timeout 0
             1    > 0
             1.1  < 1
             1.1  > 1 2",
        ),
    );
}

#[test]
fn it_needs_sack_that_is_remembered() {
    assert!(keeping(4).check().is_ok());
    for wrong in [
        TcpConfig { loss: Loss::DupAcks, ..keeping(4) },
        TcpConfig { sack_rule: SackRule::Ns2, ..keeping(4) },
    ] {
        let error = format!("{:?}", wrong.check().unwrap_err());
        assert!(error.contains("keep-sacked"), "{error}");
    }
}
