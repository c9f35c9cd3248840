//! The figures of a node.

use multihop_proto::phy::MODES;
use multihop_proto::units::Dur;

use super::figure::Aggregate::Mean;
use super::figure::Better::Less;
use super::figure::Figure;
use super::figure::Read::{Count, Perhaps, Real};
use crate::air::{EnergyConfig, Harm, RadioState, StateTimes};
use crate::probe::NodeState;

/// What a node did in the measured time.
#[derive(Clone, Debug, Default)]
pub struct NodeSpan {
    /// Its readings at the beginning.
    pub before: NodeState,
    /// Its readings at the end.
    pub after: NodeState,
    /// Length of the measured time \[s\].
    pub seconds: f64,
    /// What radios draw, if that is known.
    pub energy: Option<EnergyConfig>,
    /// Whether frames are metered (`[energy]`), so that the time in each state is known.
    pub metered: bool,
}

type Node = Figure<NodeSpan>;

/// Figures of one node.
pub const NODE: &[Figure<NodeSpan>] = &[
    Node::new(
        "frames.rts",
        "RTS sent",
        Count(|it| it.after.mac.rts - it.before.mac.rts),
        "RTS frames sent; the slotted link (`[frn]`) has none.",
    ),
    Node::new(
        "frames.cts",
        "CTS sent",
        Count(|it| it.after.mac.cts - it.before.mac.cts),
        "CTS frames sent; the slotted link has none.",
    ),
    Node::new(
        "frames.data",
        "data frames sent",
        Count(|it| it.after.mac.data - it.before.mac.data),
        "Data frames sent to one node; of the slotted link, to one or two.",
    ),
    Node::new(
        "frames.ack",
        "ACK sent",
        Count(|it| it.after.mac.ack - it.before.mac.ack),
        "ACK frames sent; of the slotted link FRN ACKs: an echo is a data frame.",
    ),
    Node::new(
        "frames.broadcast",
        "broadcasts sent",
        Count(|it| it.after.mac.broadcast - it.before.mac.broadcast),
        "Data frames sent to all.",
    ),
    Node::new(
        "data_bits",
        "data sent",
        Count(|it| it.after.mac.data_bits - it.before.mac.data_bits),
        "Bits of the MAC data frames sent [bit].",
    )
    .shown("kbit", 1e3),
    Node::new(
        "data_by_rate.at_1_mbps",
        "data frames at 1 Mb/s",
        Perhaps(|it| it.in_mode(0)),
        "Data frames sent to one node at 1 Mb/s whose fate is known; null where the rate is fixed, and where none went at a \
         rate of 802.11b.",
    ),
    Node::new(
        "data_by_rate.at_2_mbps",
        "data frames at 2 Mb/s",
        Perhaps(|it| it.in_mode(1)),
        "The same at 2 Mb/s.",
    ),
    Node::new(
        "data_by_rate.at_5_5_mbps",
        "data frames at 5.5 Mb/s",
        Perhaps(|it| it.in_mode(2)),
        "The same at 5.5 Mb/s.",
    ),
    Node::new(
        "data_by_rate.at_11_mbps",
        "data frames at 11 Mb/s",
        Perhaps(|it| it.in_mode(3)),
        "The same at 11 Mb/s.",
    ),
    Node::new(
        "rts_failures",
        "RTS failures",
        Count(|it| it.after.mac.rts_failures - it.before.mac.rts_failures),
        "RTS frames that no CTS answered; the slotted link has none.",
    )
    .better(Less),
    Node::new(
        "ack_failures",
        "ACK failures",
        Count(|it| it.after.mac.ack_failures - it.before.mac.ack_failures),
        "Data frames that no ACK answered; of the slotted link packets sent whose echo or FRN ACK did not come in its slot, or \
         whose lifetime ended in that slot.",
    )
    .better(Less),
    Node::new(
        "attempt_failures.bit_errors",
        "attempts failed by bit errors",
        Count(|it| it.harmed(Harm::Bits)),
        "Attempts (RTS and data frames with their responses) that failed by a bit error in the frame or its response.",
    )
    .better(Less),
    Node::new(
        "attempt_failures.link_loss",
        "attempts failed by link loss",
        Count(|it| it.harmed(Harm::Link)),
        "Those that failed by the `loss` of a listed link, or by that of an event.",
    )
    .better(Less),
    Node::new(
        "attempt_failures.jamming",
        "attempts failed by jamming",
        Count(|it| it.harmed(Harm::Jam)),
        "Those whose frame or response was lost in a jammed region.",
    )
    .better(Less),
    Node::new(
        "attempt_failures.fading",
        "attempts failed by fading",
        Count(|it| it.harmed(Harm::Fade)),
        "Those whose frame or response was too weak by fading: at its mean power it would have been received.",
    )
    .better(Less),
    Node::new(
        "attempt_failures.interference",
        "attempts failed by interference",
        Count(NodeSpan::interference),
        "Those whose frame or response met another signal, or a receiver that was sending itself.",
    )
    .better(Less),
    Node::new(
        "attempt_failures.dozing",
        "attempts failed by dozing",
        Count(NodeSpan::dozing),
        "Those whose frame or response met a radio that was dozing.",
    )
    .better(Less),
    Node::new(
        "attempt_failures.no_answer",
        "attempts without an answer",
        Count(|it| it.failed().saturating_sub(it.harms() + it.interference() + it.dozing())),
        "Those without a response for another reason: the receiver's medium was busy or reserved, or the receiver was \
         away. Of the slotted link also those whose echo was lost.",
    )
    .better(Less),
    Node::new(
        "given_up_rts",
        "given up at the RTS limit",
        Count(|it| it.after.mac.given_up_rts - it.before.mac.given_up_rts),
        "Packets given up at the RTS retry limit; the slotted link has none.",
    )
    .shown("packets", 1.0)
    .better(Less),
    Node::new(
        "given_up_data",
        "given up at the data limit",
        Count(|it| it.after.mac.given_up_data - it.before.mac.given_up_data),
        "Packets given up at the data retry limit; of the slotted link after `frn.max-retransmissions`, and not those whose \
         lifetime ended.",
    )
    .shown("packets", 1.0)
    .better(Less),
    Node::new(
        "airtime_tx_s",
        "time spent sending",
        Real(|it| span(it.before.mac.airtime, it.after.mac.airtime)),
        "Time spent sending [s].",
    )
    .shown("s", 1.0),
    Node::new(
        "airtime_busy_s",
        "time sensed busy",
        Real(|it| span(it.before.busy, it.after.busy)),
        "Time the medium was sensed busy with the signals of others [s]; of the slotted link, while it was not sending.",
    )
    .shown("s", 1.0),
    Node::new(
        "queue_mean",
        "mean queue",
        Real(|it| (it.after.queue.occupancy - it.before.queue.occupancy) as f64 / 1e9 / it.seconds),
        "Mean length of the interface queue [packets]; of the slotted link of all that it held.",
    )
    .shown("packets", 1.0)
    .together(Mean)
    .better(Less),
    Node::new(
        "queue_busy",
        "queue in use",
        Real(|it| span(it.before.queue.backlogged, it.after.queue.backlogged) / it.seconds),
        "Share of the time in which the node held a frame to send.",
    )
    .together(Mean),
    Node::new(
        "early_drops",
        "early drops",
        Count(|it| it.after.queue.early_drops - it.before.queue.early_drops),
        "Packets that active queue management dropped before the queue was full.",
    )
    .shown("packets", 1.0)
    .better(Less),
    Node::new(
        "marked",
        "packets marked",
        Count(|it| it.after.queue.marked - it.before.queue.marked),
        "Packets marked as having met congestion (ECN) instead of being dropped.",
    )
    .shown("packets", 1.0),
    Node::new(
        "energy_j",
        "energy",
        Perhaps(|it| Some(it.radio().joules(it.energy.as_ref()?))),
        "Energy that its radio drew [J], by `[energy]`; without that section, of an ORiNOCO card, which draws as much idle as \
         receiving.",
    )
    .shown("J", 1.0)
    .better(Less),
    Node::new(
        "battery_left_j",
        "battery left",
        Perhaps(NodeSpan::left),
        "What its battery had left at the end of the measured time [J], warm-up included; null where it is without end \
         (`energy.battery`), and of one radio of several: the battery is that of the node.",
    )
    .shown("J", 1.0),
    Node::new(
        "radio.transmit_s",
        "radio sending",
        Perhaps(|it| it.in_state(RadioState::Transmit)),
        "Time sending [s]. The times of all states sum to the measured time; null without `[energy]`.",
    )
    .shown("s", 1.0),
    Node::new(
        "radio.receive_s",
        "radio receiving",
        Perhaps(|it| it.in_state(RadioState::Receive)),
        "Time in which frames for it, or for all, arrived [s].",
    )
    .shown("s", 1.0),
    Node::new(
        "radio.overhear_s",
        "radio overhearing",
        Perhaps(|it| it.in_state(RadioState::Overhear)),
        "Time in which it sensed other signals [s].",
    )
    .shown("s", 1.0),
    Node::new(
        "radio.idle_s",
        "radio idle",
        Perhaps(|it| it.in_state(RadioState::Idle)),
        "Time in which it sensed nothing [s].",
    )
    .shown("s", 1.0),
    Node::new(
        "radio.doze_s",
        "radio dozing",
        Perhaps(|it| it.in_state(RadioState::Doze)),
        "Time dozing [s].",
    )
    .shown("s", 1.0),
    Node::new(
        "radio.down_s",
        "node down",
        Perhaps(|it| it.in_state(RadioState::Down)),
        "Time in which its node was down [s].",
    )
    .shown("s", 1.0),
    Node::new(
        "battery_spent_s",
        "battery spent",
        Perhaps(|it| it.after.spent_at.map(|at| at.as_secs_f64())),
        "When its battery was empty, to the millisecond [s]; null if it was not, or is without end (`energy.battery`), \
         and of one radio of several.",
    )
    .shown("s", 1.0)
    .together(Mean),
];

/// Whether any of these frames by mode went at a rate of DSSS: these are the first of [`MODES`].
pub(crate) fn dsss(by_mode: &[u64; MODES.len()]) -> bool {
    by_mode[..4].iter().any(|&count| count > 0)
}

impl NodeSpan {
    fn failed(&self) -> u64 {
        let (a, b) = (&self.after.mac, &self.before.mac);
        a.rts_failures + a.ack_failures - b.rts_failures - b.ack_failures
    }

    /// Frames in the mode with this place among [`MODES`], if any frame was sent at a rate of DSSS that was chosen.
    fn in_mode(&self, mode: usize) -> Option<f64> {
        let (after, before) = (&self.after.mac.by_mode, &self.before.mac.by_mode);
        dsss(after).then(|| (after[mode] - before[mode]) as f64)
    }

    const fn harmed(&self, harm: Harm) -> u64 {
        self.after.failures.harms[harm as usize] - self.before.failures.harms[harm as usize]
    }

    fn harms(&self) -> u64 {
        Harm::ALL.into_iter().map(|harm| self.harmed(harm)).sum()
    }

    const fn interference(&self) -> u64 {
        self.after.failures.interference - self.before.failures.interference
    }

    const fn dozing(&self) -> u64 {
        self.after.failures.dozing - self.before.failures.dozing
    }

    fn left(&self) -> Option<f64> {
        let energy = self.energy.as_ref()?;
        let battery = energy.battery?.get();
        Some((battery - self.after.radio.joules(energy)).max(0.0))
    }

    fn radio(&self) -> StateTimes {
        self.after.radio.since(&self.before.radio)
    }

    fn in_state(&self, state: RadioState) -> Option<f64> {
        self.metered.then(|| self.radio().of(state).as_secs_f64())
    }
}

/// The time between two readings of a clock that only runs on \[s\].
fn span(before: Dur, after: Dur) -> f64 {
    after.saturating_sub(before).as_secs_f64()
}
