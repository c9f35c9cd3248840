//! Proportional rate reduction (RFC 9937) at a sender: how a recovery ends, and what a mark does.

use super::sack::sacking;
use super::script::{run, sender};
use crate::tcp::{EcnMode, RecoveryRule, TcpConfig};

fn reducing(initial_window: u32) -> TcpConfig {
    TcpConfig { recovery: RecoveryRule::Prr, max_window: 200, ..sacking(initial_window) }
}

/// Of twenty segments the first is lost. Before the last ACK as many are in the network as the threshold says, the
/// repair among them, and that ACK lets out one: no burst follows.
#[test]
fn a_recovery_ends_with_the_threshold_in_the_network() {
    let sent: Vec<String> = (0..20).map(|number| number.to_string()).collect();
    let mut text = format!("0 open\n0 write endless\n0 > {}\n", sent.join(" "));
    for held in 2..=4 {
        text += &format!("0.1 < 0 sack 1-{held}\n");
    }
    text += "0.1 ! fast 0\n0.1 > 0\n0.1 = ssthresh 10\n";
    // RecoverFS is 18, and the repair is one of those that have gone. Above the threshold a share of what is delivered
    // goes, at it one for each.
    let (mut out, mut next) = (1, 20);
    for held in 5..=20_u32 {
        text += &format!("0.1 < 0 sack 1-{held}\n");
        let (delivered, pipe) = (held - 3, 20 - held + 1 + next - 20);
        let goes = if pipe > 10 { (10 * delivered).div_ceil(18) > out } else { pipe < 10 };
        if goes {
            text += &format!("0.1 > {next}\n");
            (out, next) = (out + 1, next + 1);
        }
    }
    text += "0.2 < 20\n0.2 > 29\n0.2 = cwnd 10.1 ssthresh 10";
    assert_eq!((out, next), (10, 29));
    run(&mut sender(reducing(20)), &text);
}

/// The same with ECN, and `opening`: a window of twenty has left, and the first ACK echoes a mark.
fn marked(recovery: RecoveryRule, opening: &str, rest: &str) {
    let sent: Vec<String> = (0..20).map(|number| format!("{number}e")).collect();
    let text = format!("0 open\n0 write endless\n0 > {}\n0.1 < 1 ece\n{opening}{rest}", sent.join(" "));
    let config = TcpConfig { ecn: EcnMode::Classic, recovery, ..reducing(20) };
    run(&mut sender(config), &text);
}

/// What the first ACK lets out, which is as much as of a recovery that sends half of what is delivered.
const FIRST: &str = "0.1 > 20ec\n0.1 = cwnd 20 ssthresh 10\n";

/// Without it nothing goes until half of the window has arrived.
#[test]
fn without_it_a_mark_silences_the_sender_for_half_a_round_trip() {
    let silent: String = (2..=10).map(|ack| format!("0.1 < {ack}\n0.1 = cwnd 10 ssthresh 10\n")).collect();
    let grown = "0.1 < 11\n0.1 > 20ec\n";
    let steady = silent.replace("= cwnd 10 ", "= ");
    marked(RecoveryRule::Pipe, "", &(steady + grown));
}

/// A mark halves the window over a round trip: every second ACK lets a segment out. The window does not grow meanwhile.
/// It does with the first ACK of what left afterwards.
#[test]
fn a_mark_takes_its_share_over_a_round_trip() {
    let mut rest = String::new();
    let mut next = 21;
    for ack in 2..=20 {
        rest += &format!("0.1 < {ack}\n");
        // At the nineteenth ten are in the network, and the last of the window lets out one in its place.
        if (ack % 2 == 1 && ack < 19) || ack == 20 {
            rest += &format!("0.1 > {next}e\n");
            next += 1;
        }
    }
    rest += "0.1 = cwnd 10 ssthresh 10\n0.2 < 21\n0.2 > 30e\n0.2 = cwnd 10.1 ssthresh 10";
    assert_eq!(next, 30);
    marked(RecoveryRule::Prr, FIRST, &rest);
}

/// A second echo before that says nothing new. One with the ACK that ends it begins another.
#[test]
fn echoes_of_the_same_window_are_one() {
    let mut rest = String::from("0.1 < 20 ece\n"); // eighteen at once: RFC 9937 lets out what the threshold has room for
    rest += "0.1 > 21e 22e 23e 24e 25e 26e 27e 28e 29e\n0.1 = cwnd 10 ssthresh 10\n";
    rest += "0.2 < 21 ece\n0.2 > 30ec\n0.2 = cwnd 10 ssthresh 5\n0.2 < 22\n0.2 < 23\n0.2 > 31e\n";
    marked(RecoveryRule::Prr, FIRST, &rest);
}

/// What is lost of the same window takes no more of it, and what has been sent since the mark counts.
#[test]
fn a_loss_of_the_same_window_goes_on_with_the_reduction() {
    let rest = "0.1 < 2
        0.1 < 3
        0.1 > 21e
        0.1 < 3 sack 4-5
        0.1 < 3 sack 4-6
        0.1 > 22e
        0.1 < 3 sack 4-7
        0.1 ! fast 3
        0.1 > 3
        0.1 = ssthresh 10
        0.1 < 3 sack 4-8
        0.1 < 3 sack 4-9
        0.1 < 3 sack 4-10
        0.1 > 23ec
        0.1 = ssthresh 10";
    marked(RecoveryRule::Prr, FIRST, rest);
}

/// The timer ends it.
#[test]
fn a_timeout_ends_the_reduction() {
    let rest = "0.4 ! timeout 1
        0.4 > 1
        0.4 = cwnd 1
        0.5 < 21
        0.5 > 21ec 22e
        0.5 = cwnd 2";
    marked(RecoveryRule::Prr, FIRST, rest);
}

/// A window that the mark leaves smaller than the threshold, which is two segments, shrinks at once.
#[test]
fn a_window_below_the_least_threshold_shrinks_at_once() {
    let config = TcpConfig { ecn: EcnMode::Classic, initial_window: 3, ..reducing(3) };
    run(
        &mut sender(config),
        "0 open
         0 write endless
         0 > 0e 1e 2e
         0.1 < 1 ece
         0.1 = cwnd 1.5 ssthresh 2
         0.1 < 2
         0.1 > 3ec
         0.1 = cwnd 2.5",
    );
}
