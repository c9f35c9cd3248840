//! ns-2's `Sack1`. Scripts are what its traces say of two wired nodes, ten megabits and a tenth of a second apart, from
//! which packets of a list are lost; numbers count from the first that is.

use super::sack::sacking;
use super::script::{EIGHT_SENT, after, run, sender};
use crate::tcp::{LimitedTransmit, SackRule, TcpConfig};

fn sack1(initial_window: u32) -> TcpConfig {
    TcpConfig { sack_rule: SackRule::Ns2, ..sacking(initial_window) }
}

/// It counts nothing but the third duplicate, and no ACK twice that tells the same.
#[test]
fn the_third_duplicate_alone_begins_recovery() {
    run(
        &mut sender(sack1(8)),
        &after(
            &[EIGHT_SENT],
            "0.1  < 0 sack 1-4       // evidence enough by the RFC
             0.1  = dupacks 1
             0.1  < 0 sack 1-4       // nothing new
             0.1  < 0
             0.1  = dupacks 1
             0.1  < 0 sack 1-5
             0.1  < 0 sack 1-6
             0.1  ! fast 0
             0.1  > 0",
        ),
    );
    run(
        &mut sender(sack1(8)),
        &after(
            &[EIGHT_SENT],
            "0.1  < 1 sack 2-6       // an ACK that advances shows no loss
             0.1  > 8 9
             0.1  = dupacks 0",
        ),
    );
}

/// What an ACK told that advanced is forgotten, so that the next with the same blocks is a duplicate. In the trace the
/// first of three let a segment out and the others none.
#[test]
fn blocks_are_news_again_after_a_new_ack() {
    run(
        &mut sender(TcpConfig { limited_transmit: LimitedTransmit::Ns2, ..sack1(8) }),
        &after(
            &[EIGHT_SENT],
            "0.1  < 1 sack 2-6
             0.1  > 8 9
             0.1  < 1 sack 2-6
             0.1  > 10
             0.1  = dupacks 1
             0.1  < 1 sack 2-6
             0.1  < 1 sack 2-6
             0.1  = dupacks 1",
        ),
    );
}

/// After a timeout duplicates are none before the next new ACK.
#[test]
fn after_a_timeout_duplicates_let_nothing_out() {
    run(
        &mut sender(TcpConfig { limited_transmit: LimitedTransmit::Ns2, ..sack1(8) }),
        &after(
            &[EIGHT_SENT],
            "1    ! timeout 0
             1    > 0
             1.1  < 0 sack 1-2
             1.1  < 0 sack 1-3
             1.1  < 0 sack 1-4
             1.1  = dupacks 0
             1.2  < 4
             1.2  > 4 5
             1.2  < 4 sack 5-6
             1.2  > 6
             1.2  = dupacks 1",
        ),
    );
}

/// `ns ... Sack1`, a window of 10, lost: 12, 13 and 17. Pipe 10 - 3; a duplicate takes one from it, a partial ACK two;
/// a hole is sent again though little lies above it. The window opens with the ACK after the one that ends recovery.
#[test]
fn the_pipe_counts_packets() {
    let mut sender = sender(TcpConfig { max_window: 10, ..sack1(10) });
    run(
        &mut sender,
        "0    open
         0    write endless
         0    > 0 1 2 3 4 5 6 7 8 9
         0.1  < 0 sack 2-3
         0.1  < 0 sack 2-4
         0.1  < 0 sack 2-5
         0.1  ! fast 0
         0.1  > 0               // 7
         0.1  = cwnd 5 ssthresh 5 inflation 0
         0.1  < 0 sack 6-7 2-5
         0.1  < 0 sack 6-8 2-5
         0.1  < 0 sack 6-9 2-5  // 4
         0.1  > 1
         0.2  < 0 sack 6-10 2-5
         0.2  > 5
         0.2  < 1 sack 6-10 2-5 // 3: the receiver's window has room for one
         0.2  > 10
         0.2  < 5 sack 6-10     // 2
         0.2  > 11 12 13
         0.3  < 10
         0.3  > 14
         0.3  = cwnd 5
         0.3  < 11
         0.3  > 15
         0.3  = cwnd 5.2",
    );
}

/// Lost: a segment out of a window of four. The pipe is 1 and the window 2, and nothing goes with the repair.
#[test]
fn nothing_but_the_repair_is_sent_when_recovery_begins() {
    run(
        &mut sender(sack1(4)),
        "0    open
         0    write endless
         0    > 0 1 2 3
         0.1  < 0 sack 1-2
         0.1  < 0 sack 1-3
         0.1  < 0 sack 1-4
         0.1  ! fast 0
         0.1  > 0
         0.2  < 4
         0.2  > 4 5
         0.2  = cwnd 2",
    );
}

/// It begins no recovery at the very end of the last one, and none before more than that is acknowledged.
#[test]
fn a_loss_just_beyond_the_last_recovery_waits_for_the_timeout() {
    run(
        &mut sender(sack1(8)),
        &after(
            &[EIGHT_SENT],
            "0.1  < 0 sack 1-2
             0.1  < 0 sack 1-3
             0.1  < 0 sack 1-4
             0.1  ! fast 0
             0.1  > 0
             0.2  < 8
             0.2  > 8 9 10 11
             0.3  < 8 sack 9-10
             0.3  < 8 sack 9-11
             0.3  < 8 sack 9-12
             0.3  = dupacks 3
             0.4  < 9                // more is acknowledged
             0.4  > 12
             0.5  < 9 sack 10-11
             0.5  < 9 sack 10-12
             0.5  < 9 sack 10-13
             0.5  ! fast 9
             0.5  > 9",
        ),
    );
}
