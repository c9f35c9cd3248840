//! The figures of a flow.

use super::figure::Aggregate::{Max, Mean};
use super::figure::Better::{Less, More};
use super::figure::Figure;
use super::figure::Place::{Compare, Report, Run, RunIfWide};
use super::figure::Read::{Count, Perhaps, Real};
use crate::probe::FlowProbe;

/// What a flow did in the measured time.
#[derive(Clone, Debug, Default)]
pub struct FlowSpan {
    /// What was recorded.
    pub probe: FlowProbe,
    /// Its own time: the part of the measured time in which it had begun, and had neither stopped nor completed \[s\].
    pub seconds: f64,
    /// How long a file took \[s\], if all of it was acknowledged.
    pub completion_s: Option<f64>,
    /// Payload that the source has done with and no node has any more \[B\], if agents serve the flow.
    pub broken_bytes: Option<u64>,
}

type Flow = Figure<FlowSpan>;

/// Figures of one flow.
pub const FLOW: &[Figure<FlowSpan>] = &[
    Flow::new(
        "goodput_bps",
        "goodput",
        Real(FlowSpan::goodput),
        "Payload delivered in order for the first time within the measured time, over the flow's own time [bit/s]: the part of \
         the measured time in which it had begun, and had neither stopped nor completed. Of all flows together: over the time in \
         which there was one.",
    )
    .shown("kbit/s", 1e3)
    .better(More)
    .places(&[Run, Report, Compare(1)]),
    Flow::new(
        "active_s",
        "own time",
        Real(|it| it.seconds),
        "The flow's own time [s]: the part of the measured time in which it had begun, and had neither stopped nor completed.",
    )
    .shown("s", 1.0)
    .together(Max),
    Flow::new(
        "delivered_bytes",
        "delivered",
        Count(|it| it.probe.delivered),
        "Payload delivered in order for the first time within the measured time [B].",
    )
    .shown("kB", 1e3)
    .better(More),
    Flow::new(
        "sent_packets",
        "packets sent",
        Count(|it| it.probe.sent()),
        "Packets that the transport handed down, retransmissions included.",
    ),
    Flow::new(
        "delivery_ratio",
        "delivery ratio",
        Perhaps(|it| it.probe.delivery_ratio()),
        "Packets that were sent and arrived in the measured time (each once), over the packets sent in it, retransmissions \
         included; null if none was sent. What is under way at the end has not arrived.",
    )
    .shown("%", 1e-2)
    .together(Mean)
    .better(More)
    .places(&[RunIfWide(7), Report]),
    Flow::new(
        "retransmissions",
        "retransmissions",
        Count(|it| it.probe.after.tcp.retransmissions - it.probe.before.tcp.retransmissions),
        "Segments sent again.",
    )
    .better(Less)
    .of(&["tcp", "atp"])
    .places(&[Run, Report, Compare(5)]),
    Flow::new(
        "ecn_reductions",
        "ECN reductions",
        Count(|it| it.probe.after.tcp.ecn_reductions - it.probe.before.tcp.ecn_reductions),
        "Times that TCP reduced its window because a mark was echoed.",
    )
    .of(&["tcp"]),
    Flow::new(
        "ecn_marks",
        "marked segments",
        Count(|it| it.probe.after.tcp.ecn_marks - it.probe.before.tcp.ecn_marks),
        "Segments that TCP knows to have been marked, by the receiver's counters (accurate ECN).",
    )
    .of(&["tcp"]),
    Flow::new(
        "timeouts",
        "timeouts",
        Count(|it| it.probe.after.tcp.timeouts - it.probe.before.tcp.timeouts),
        "Expiries of the retransmission timer.",
    )
    .better(Less)
    .of(&["tcp"])
    .places(&[RunIfWide(1), Report, Compare(6)]),
    Flow::new(
        "opening_timeouts",
        "timeouts while opening",
        Count(|it| it.probe.after.tcp.opening_timeouts - it.probe.before.tcp.opening_timeouts),
        "Expiries of the timer of the first packet, which opens the connection (a SYN; in ns-2 a segment of its own). `timeouts` \
         are those of data.",
    )
    .better(Less)
    .of(&["tcp"]),
    Flow::new(
        "fast_retransmits",
        "fast retransmits",
        Count(|it| it.probe.after.tcp.fast_retransmits - it.probe.before.tcp.fast_retransmits),
        "Losses noticed by duplicate or selective acknowledgements.",
    )
    .better(Less)
    .of(&["tcp"])
    .places(&[RunIfWide(4), Report]),
    Flow::new(
        "needless_retransmissions",
        "needless retransmissions",
        Count(|it| it.probe.repairs.needless),
        "Segments sent again though an earlier copy arrived at the destination, before or after.",
    )
    .better(Less)
    .of(&["tcp"]),
    Flow::new(
        "undone_reductions",
        "reductions undone",
        Count(|it| it.probe.after.tcp.undone - it.probe.before.tcp.undone),
        "Reductions of the window that TCP took back as needless, by DSACK or F-RTO.",
    )
    .of(&["tcp"]),
    Flow::new(
        "tail_probes",
        "tail loss probes",
        Count(|it| it.probe.after.tcp.tail_probes - it.probe.before.tcp.tail_probes),
        "Tail loss probes sent (RFC 8985 §7).",
    )
    .of(&["tcp"]),
    Flow::new(
        "tail_repairs",
        "losses repaired by probes",
        Count(|it| it.probe.after.tcp.tail_repairs - it.probe.before.tcp.tail_repairs),
        "Losses that a tail loss probe repaired itself: it was the lost segment.",
    )
    .of(&["tcp"]),
    Flow::new(
        "tail_finds",
        "losses found by probes",
        Count(|it| it.probe.after.tcp.tail_finds - it.probe.before.tcp.tail_finds),
        "Losses that SACK told of while a tail loss probe was out.",
    )
    .of(&["tcp"]),
    Flow::new(
        "reordered",
        "reordered",
        Count(|it| it.probe.after.reordered - it.probe.before.reordered),
        "Packets that reached either end within the measured time after one sent later (RFC 4737).",
    )
    .shown("packets", 1.0)
    .better(Less),
    Flow::new(
        "rtt_mean_s",
        "RTT",
        Perhaps(|it| it.probe.rtt_mean()),
        "Mean round-trip time as the sender measured it [s]; null without a sample.",
    )
    .shown("ms", 1e-3)
    .together(Mean)
    .better(Less)
    .places(&[Run, Report, Compare(4)]),
    Flow::new(
        "delay_mean_s",
        "one-way delay",
        Perhaps(|it| it.probe.delay.mean()),
        "Mean one-way delay of data packets [s]; null if none arrived.",
    )
    .shown("ms", 1e-3)
    .together(Mean)
    .better(Less)
    .places(&[RunIfWide(3), Report, Compare(3)]),
    Flow::new(
        "delay_p50_s",
        "median delay",
        Perhaps(|it| it.probe.delay.quantile(0.5)),
        "Median one-way delay [s].",
    )
    .shown("ms", 1e-3)
    .together(Mean)
    .better(Less),
    Flow::new(
        "delay_p95_s",
        "95 % delay",
        Perhaps(|it| it.probe.delay.quantile(0.95)),
        "95 % quantile of the one-way delay [s].",
    )
    .shown("ms", 1e-3)
    .together(Mean)
    .better(Less)
    .places(&[Report]),
    Flow::new(
        "jitter_s",
        "jitter",
        Perhaps(|it| it.probe.delay.variation()),
        "Mean difference, without its sign, between the one-way delays of data packets that arrived one after the other [s] \
         (RFC 3393; RFC 3550 smooths the same differences); null with less than two.",
    )
    .shown("ms", 1e-3)
    .together(Mean)
    .better(Less)
    .places(&[Report]),
    Flow::new(
        "hops_mean",
        "hops",
        Perhaps(|it| it.probe.hops_mean()),
        "Mean number of hops of the data packets that arrived, from where an agent sent them anew if one did; null if none \
         arrived, or it is not known.",
    )
    .together(Mean)
    .better(Less)
    .places(&[Report]),
    Flow::new(
        "resume_s",
        "time to resume",
        Perhaps(|it| it.probe.resume_mean()),
        "Mean time from the return of a node or a link (`node-up`, `link-up`) in the measured time to the flow's next \
         delivered byte [s]; null if nothing returned, or nothing was delivered afterwards.",
    )
    .shown("s", 1.0)
    .together(Mean)
    .better(Less)
    .places(&[RunIfWide(5), Report, Compare(9)]),
    Flow::new(
        "outage_lost_bytes",
        "lost in outages",
        Perhaps(|it| it.probe.outage_loss()),
        "Payload of the flow's packets lost in the measured time from the failure of a node or a link (`node-down`, \
         `link-down`) to the flow's next delivered byte after a return [B]; null if nothing returned.",
    )
    .shown("kB", 1e3)
    .better(Less)
    .places(&[Report, Compare(10)]),
    Flow::new(
        "broken_bytes",
        "lost though acknowledged",
        Perhaps(|it| it.broken_bytes.filter(|&bytes| bytes > 0).map(|bytes| bytes as f64)),
        "Payload that was acknowledged to the source, although at the end of the run no node has it, or only an agent that \
         has tried for 100 s in vain [B]: a flow with any is broken; null if there are none.",
    )
    .shown("kB", 1e3)
    .better(Less)
    .of(&["tcp"])
    .places(&[RunIfWide(6), Report, Compare(11)]),
    Flow::new(
        "completion_s",
        "completed after",
        Perhaps(|it| it.completion_s),
        "Time from start to the acknowledgement of the last byte of a file [s]; null for what has no end, and for a \
         file that was stopped or did not reach its end.",
    )
    .shown("s", 1.0)
    .together(Max)
    .better(Less)
    .places(&[RunIfWide(2), Report, Compare(0)]),
];

impl FlowSpan {
    /// 0 of a flow that had no time of its own.
    fn goodput(&self) -> f64 {
        if self.seconds > 0.0 { self.probe.delivered as f64 * 8.0 / self.seconds } else { 0.0 }
    }
}
