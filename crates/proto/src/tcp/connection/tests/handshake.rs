//! Opening a connection (RFC 9293 §3.5) and the loss of a SYN.

use super::script::{config, receiver, run, sender};
use crate::tcp::{Handshake, TcpConfig};
use crate::units::Dur;

fn shaking() -> TcpConfig {
    TcpConfig { handshake: Handshake::Syn, ..config() }
}

#[test]
fn data_wait_for_the_syn_ack() {
    run(
        &mut sender(shaking()),
        "0    open
         0    > syn
         0    = rto 1
         0    write endless
         0.05 < 0               // no SYN: not the answer
         0.1  < syn-ack
         0.1  > 0 1
         0.1  = srtt 0.1        // the SYN was timed
         0.1  = rto 0.4",
    );
}

#[test]
fn a_lost_syn_is_sent_again_with_a_doubled_timeout() {
    run(
        &mut sender(shaking()),
        "0    open
         0    > syn
         0    write 1
         1    > syn
         3    > syn
         3    = rto 7
         3.1  < syn-ack
         3.1  > 0
         3.1  = srtt 0          // Karn: the SYN was sent three times
         3.1  = rto 6.1         // 3 s, not the doubled value (RFC 6298 §5.7)
         3.2  < 1
         3.2  ! completed
         3.2  = timeout 0.3",
    );
}

#[test]
fn a_longer_first_timeout_keeps_its_back_off_after_a_lost_syn() {
    run(
        &mut sender(TcpConfig { initial_rto: Dur::from_secs(4), ..shaking() }),
        "0    open
         0    > syn
         0    write 1
         4    > syn
         4.1  < syn-ack
         4.1  > 0
         4.1  = rto 12.1",
    );
}

#[test]
fn an_open_connection_with_nothing_to_send_is_silent() {
    run(
        &mut sender(shaking()),
        "0    open
         0    > syn
         0.1  < syn-ack
         0.1  = rto off
         5    write 1
         5    > 0",
    );
}

#[test]
fn one_way_agents_send_data_at_once() {
    run(
        &mut sender(config()),
        "0    open
         0    write 1
         0    > 0",
    );
}

#[test]
fn nothing_is_sent_before_open() {
    run(
        &mut sender(config()),
        "0    write 5
         1    < 0
         1    stop",
    );
}

#[test]
fn the_receiver_answers_every_syn() {
    run(
        &mut receiver(&shaking()),
        "0    < syn
         0    > syn-0
         0    = control
         1    < syn
         1    > syn-0",
    );
}

/// RFC 5681 §3.1: after a lost SYN the initial window is one segment.
#[test]
fn after_a_lost_syn_data_begin_with_one_segment() {
    for (handshake, ssthresh) in [(Handshake::Syn, 20), (Handshake::Ns2, 2)] {
        run(
            &mut sender(TcpConfig { handshake, ..shaking() }),
            &format!(
                "0    open
                 0    > syn
                 0    write endless
                 1    > syn
                 1.1  < syn-ack
                 1.1  > 0
                 1.1  = cwnd 1 ssthresh {ssthresh}
                 1.2  < 1
                 1.2  > 1 2"
            ),
        );
    }
}

/// What ns-2.35 sends when its first two packets are lost: 40 bytes at 0, 3 and 9 s, then one segment, with a timeout
/// that stays doubled until a fresh sample; ssthresh is 2.
#[test]
fn the_lone_packet_of_ns2_is_sent_again_with_back_off() {
    run(
        &mut sender(TcpConfig { handshake: Handshake::Ns2, initial_rto: Dur::from_secs(3), ..config() }),
        "0    open
         0    > syn
         0    write endless
         3    > syn
         9    > syn
         9.1  < syn-ack
         9.1  > 0
         9.1  = rto 21.1
         9.2  < 1
         9.2  > 1 2
         9.3  < 2
         9.3  > 3
         9.3  < 3
         9.3  > 4
         9.3  = cwnd 2.9 ssthresh 2",
    );
}
