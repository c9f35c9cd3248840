//! Configuration of TCP. Defaults follow the standards track: RFC 9293, 5681, 6298, 6582, 3042.

use crate::units::{Bytes, Dur};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// TCP of every host: a window rule, a loss judgement and their parameters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct TcpConfig {
    /// How the congestion window moves.
    pub window: Window,
    /// How losses are found.
    pub loss: Loss,
    /// Payload of a full segment (SMSS).
    pub segment: Bytes,
    /// TCP and IP header bytes that a segment with payload counts on the air; one without always counts 40 (RFC 9293
    /// §3.1, RFC 791 §3.1). ns-2's one-way agents counted none before November 2001 (`useHeaders_`).
    pub data_header: Bytes,
    /// Receive window, and so the largest window, in segments. Default: 64 KiB without window scaling.
    pub max_window: u32,
    /// Congestion window at the start, in segments. RFC 5681 §3.1 allows 3 of this size; RFC 6928's 10 is
    /// experimental, and a burst of 10 collides with itself over several hops.
    pub initial_window: u32,
    /// Retransmission timeout before the first measurement (RFC 6298 §2.1).
    pub initial_rto: Dur,
    /// Least retransmission timeout (RFC 6298 §2.4).
    pub min_rto: Dur,
    /// Largest retransmission timeout (RFC 6298 §2.5: at least 60 s).
    pub max_rto: Dur,
    /// Which timeouts of one segment set the slow-start threshold (RFC 5681 §3.1).
    pub rto_ssthresh: RtoSsthresh,
    /// Granularity of the clock that measures round trips.
    pub tick: Dur,
    /// Connections begin with SYN, SYN-ACK, ACK (RFC 9293 §3.5). ns-2's one-way agents begin with a bare 40-byte
    /// packet instead.
    pub handshake: bool,
    /// A new segment is sent on the first and second duplicate ACK (RFC 3042).
    pub limited_transmit: bool,
    /// Which partial ACKs restart the retransmission timer (RFC 6582 §4).
    pub partial_ack_restart: PartialAckRestart,
    /// A partial ACK shrinks the window by what it acknowledges, less one segment (RFC 6582 §3.2 step 3).
    pub partial_deflation: bool,
    /// No second fast retransmit for data that was outstanding before (RFC 6582 §3.2, `recover`).
    pub careful: bool,
    /// The receiver acknowledges every so many full segments; 1: each (RFC 9293 §3.8.6.3: at least every second).
    pub ack_every: u32,
    /// Longest delay of an ACK when `ack-every` is above 1 (RFC 9293 §3.8.6.3: below 0.5 s).
    pub ack_delay: Dur,
}

impl Default for TcpConfig {
    fn default() -> Self {
        Self {
            window: Window::Newreno,
            // SACK is optional in RFC 9293; the technique `sack` adds it.
            loss: Loss::DupAcks,
            segment: Bytes(1460),
            data_header: Bytes(40),
            max_window: 44,
            initial_window: 3,
            initial_rto: Dur::from_secs(1),
            min_rto: Dur::from_secs(1),
            max_rto: Dur::from_secs(60),
            rto_ssthresh: RtoSsthresh::First,
            tick: Dur::from_ms(1),
            handshake: true,
            limited_transmit: true,
            partial_ack_restart: PartialAckRestart::First,
            partial_deflation: true,
            careful: true,
            ack_every: 2,
            ack_delay: Dur::from_ms(200),
        }
    }
}

/// How the congestion window moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Window {
    /// Slow start after every loss (Jacobson 1988).
    Tahoe,
    /// Fast recovery that ends with the first new ACK (RFC 2581).
    Reno,
    /// Fast recovery that lasts until all data outstanding at its start is acknowledged (RFC 6582).
    Newreno,
}

/// How losses are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Loss {
    /// By three duplicate ACKs (RFC 5681 §3.2).
    DupAcks,
    /// By the scoreboard of selective acknowledgements (RFC 2018, RFC 6675).
    Sack,
}

/// Which timeouts of one segment set the slow-start threshold to half of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RtoSsthresh {
    /// Only the first; while the same segment times out again the threshold stays (RFC 5681 §3.1).
    First,
    /// Every one, as in ns-2: after the second the threshold is two segments.
    Every,
}

/// Which partial ACKs restart the retransmission timer during recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PartialAckRestart {
    /// Only the first: a window with many losses ends in a timeout ("impatient").
    First,
    /// Every one: one segment a round trip until all are repaired ("slow but steady").
    Every,
}
