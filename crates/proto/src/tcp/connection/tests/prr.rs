//! Proportional rate reduction (RFC 9937) at a sender: how a recovery ends.

use super::sack::sacking;
use super::script::{run, sender};
use crate::tcp::{RecoveryRule, TcpConfig};

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
