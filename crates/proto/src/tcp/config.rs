//! Configuration of TCP. Defaults follow the standards track: RFC 9293, 5681, 6298, 6582, 3042.
//! Where ns-2 or ns-3 departs from the RFCs there is a key, set by its profile.

pub use super::acks::config::ReceiverConfig;
pub use super::ecn_mode::EcnMode;
pub use super::loss::config::{Loss, LossDetectorKind, SackRule};
pub use super::loss::dcr::DcrConfig;
pub use super::loss::k_sack::KSackConfig;
pub use super::loss::rack::RackConfig;
pub use super::pace::{Pace, PaceConfig};
pub use super::tail_probe::TailProbeConfig;
pub use super::timeout::{RtoArithmetic, RtoBackOff, RtoRestart, RtoSsthresh, RttSamples, RttVoid};
pub use super::window::config::{CubicConfig, CubicRules, HyStartConfig, SlowStart};
use crate::keys;
use crate::units::range::{MOST, Wrong, must, within};
use crate::units::{Bytes, Dur};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Largest window of a header without scaling (RFC 9293 §3.1) \[bytes\].
pub(super) const LARGEST_UNSCALED: u32 = 65_535;
/// Largest scale (RFC 7323 §2.3).
const LARGEST_SCALE: u8 = 14;

keys! {
    /// TCP of every host: a window rule, a loss judgement and their parameters.
    #[derive(Clone, Debug, PartialEq)]
    pub struct TcpConfig {
        /// How the congestion window moves.
        pub window: Window = Window::Newreno,
        /// Parameters of `window = "cubic"`.
        pub cubic: CubicConfig = CubicConfig::default() => inside,
        /// At which rate segments leave.
        pub pace: PaceConfig = PaceConfig::default() => inside,
        /// What ends slow start if nothing is lost.
        pub slow_start: SlowStart = SlowStart::Standard,
        /// Parameters of `slow-start = "hystart"`.
        pub hystart: HyStartConfig = HyStartConfig::default() => inside,
        /// Most segments of one ACK by which slow start opens the window, and congestion avoidance by its share of the
        /// window (RFC 3465 `L`; RFC 5681 §3.1: 1). Linux has no bound.
        pub byte_counting: u32 = 1 => within(1, MOST),
        /// What SACK tells counts as acknowledged as the window opens, too. Once segments were seen out of order by
        /// more than three, an ACK that brings nothing but SACK opens the window (Linux `tcp_may_raise_cwnd`). Only
        /// `judge = "rack"` does this.
        pub count_sacked: bool = false,
        /// How losses are found.
        // SACK is optional in RFC 9293; the technique `sack` adds it.
        pub loss: Loss = Loss::DupAcks,
        /// Which loss detector judges what was found.
        pub judge: LossDetectorKind = LossDetectorKind::Standard,
        /// Parameters of `judge = "dcr"`.
        pub dcr: DcrConfig = DcrConfig::default() => inside,
        /// Parameters of `judge = "k-sack"`.
        pub k_sack: KSackConfig = KSackConfig::default() => inside,
        /// Parameters of `judge = "rack"`.
        pub rack: RackConfig = RackConfig::default() => inside,
        /// What asks for an ACK when none comes for two round trips.
        pub tail_probe: TailProbeConfig = TailProbeConfig::default() => inside,
        /// The receiver says which bytes came twice (DSACK, RFC 2883). With `loss = "sack"`.
        pub dsack: bool = false,
        /// Each segment carries the time at which it left, and echoes what the other end sent (RFC 7323 §3): 12 bytes.
        /// Each new ACK gives a round trip, also of what was sent twice, and the receiver drops segments of an earlier
        /// time (PAWS).
        pub timestamps: bool = false,
        /// The SYN agrees on a scale of the window (RFC 7323 §2). The window is a multiple of the scale, and that of a
        /// SYN is at most 65 535 bytes.
        pub window_scaling: bool = false,
        /// A reduction of the window is taken back if DSACK shows that all that was sent again had arrived, or if
        /// timestamps show that an ACK is for the first sending (RFC 3522, 4015). With `loss = "sack"` or `timestamps`.
        pub undo: bool = false,
        /// After a timeout the first ACKs tell whether data were lost or only late (F-RTO, RFC 5682 §3.1). Only
        /// `judge = "rack"` does this.
        pub frto: bool = false,
        /// Tick of the clock by which the timers of both ends fire, coarser the longer they run, as in Linux (4 ms at
        /// 250 Hz); 0: they are on time.
        pub timer_tick: Dur = Dur::ZERO => within(Dur::ZERO, Dur::from_secs(1)),
        /// Payload of a full segment (SMSS).
        pub segment: Bytes = Bytes(1460) => within(Bytes(1), Bytes(65_495)),
        /// TCP and IP header bytes that a segment with payload counts on the air; one without always counts 40 (RFC
        /// 9293 §3.1, RFC 791 §3.1). ns-2's one-way agents counted none before November 2001 (`useHeaders_`).
        pub data_header: Bytes = Bytes(40) => within(Bytes(0), Bytes(40)),
        /// Receive window, and so the largest window, in segments. Default: 64 KiB without window scaling.
        pub max_window: u32 = 44 => within(1, MOST),
        /// Congestion window at the start, in segments. RFC 5681 §3.1 allows 3 of this size; RFC 6928's 10 is
        /// experimental, and a burst of 10 collides with itself over several hops.
        pub initial_window: u32 = 3 => within(1, MOST),
        /// Slow-start threshold at the start, in segments: where the first slow start ends if nothing is lost. None: at
        /// `max-window`, so that only a loss ends it (RFC 5681 §3.1: arbitrarily high).
        pub initial_ssthresh: Option<u32> = None => if_set(1, MOST),
        /// Retransmission timeout before the first measurement (RFC 6298 §2.1).
        pub initial_rto: Dur = Dur::from_secs(1),
        /// Least retransmission timeout (RFC 6298 §2.4).
        pub min_rto: Dur = Dur::from_secs(1) => span,
        /// Largest retransmission timeout (RFC 6298 §2.5: at least 60 s).
        pub max_rto: Dur = Dur::from_secs(60) => span,
        /// How the timeout grows while no round trip can be measured (RFC 6298 §5.5).
        pub rto_back_off: RtoBackOff = RtoBackOff::Rfc6298,
        /// What the estimator of round trips calculates with.
        pub rto_arithmetic: RtoArithmetic = RtoArithmetic::Real,
        /// The least that four times the variation of round trips counts in the timeout, and always one tick (RFC 6298
        /// §2.3 `G`; Linux: 200 ms). With `rto-arithmetic = "real"`.
        pub rto_variation: Dur = Dur::ZERO => within(Dur::ZERO, Dur::from_secs(60)),
        /// The fourth doubling in a row forgets the smoothed round-trip time, so that the next sample starts anew
        /// (allowed by RFC 6298 §5; ns-2).
        pub clobber_srtt: bool = false,
        /// Which timeouts of one segment set the slow-start threshold (RFC 5681 §3.1).
        pub rto_ssthresh: RtoSsthresh = RtoSsthresh::First,
        /// What starts the retransmission timer afresh, besides a new ACK.
        pub rto_restart: RtoRestart = RtoRestart::NewAck,
        /// Granularity of the clock that measures round trips.
        pub tick: Dur = Dur::from_ms(1) => within(Dur::from_ns(1), Dur::from_secs(10)),
        /// Which segments are timed (RFC 6298 §3: at least one a round trip).
        pub rtt_samples: RttSamples = RttSamples::One,
        /// What makes void what is being timed, besides a timeout and the start of a recovery.
        pub rtt_void: RttVoid = RttVoid::Retransmission,
        /// How a connection begins. If the first packet is lost, data begin with a window of one segment in every case
        /// (RFC 5681 §3.1).
        pub handshake: Handshake = Handshake::Syn,
        /// What the first and second duplicate ACK let out (RFC 3042).
        pub limited_transmit: LimitedTransmit = LimitedTransmit::Rfc3042,
        /// The window is a whole number of segments, as in Linux. In congestion avoidance the sender counts what is
        /// acknowledged until that makes one segment more. What a loss leaves is cut to whole segments, at least two.
        /// BBR counts its window in bytes in any case; what it sends is whole segments.
        pub whole_window: bool = false,
        /// What the halves of the window are rounded to when a loss is judged.
        pub halving: Halving = Halving::Exact,
        /// What becomes of the window when nothing has been sent for longer than the retransmission timeout
        /// (RFC 5681 §4.1).
        pub idle_restart: IdleRestart = IdleRestart::InitialWindow,
        /// The window grows only while it is what holds the sender back, or in slow start half of it (RFC 7661; Linux
        /// `tcp_is_cwnd_limited`). An application that sends little does not open a window that it never used. CUBIC
        /// (RFC 9438 §5.8) and BBR have rules of their own for this.
        pub window_validation: bool = false,
        /// Which partial ACKs restart the retransmission timer (RFC 6582 §4).
        pub partial_ack_restart: PartialAckRestart = PartialAckRestart::First,
        /// A partial ACK shrinks the window by what it acknowledges, less one segment (RFC 6582 §3.2 step 3).
        pub partial_deflation: bool = true,
        /// No second fast retransmit for data that was outstanding before (RFC 6582 §3.2, `recover`).
        pub careful: bool = true,
        /// Explicit congestion notification: offered with the SYN, data packets may be marked instead of dropped, and
        /// marks are told to the sender.
        pub ecn: EcnMode = EcnMode::Off,
        /// What a sender makes of it.
        pub ecn_rule: EcnRule = EcnRule::Rfc3168,
        /// Marks shrink the window less than losses do: to 80 %, with CUBIC to 85 % (ABE, RFC 8511 §4.1). With `ecn`,
        /// and rules that halve their window or are CUBIC.
        pub abe: bool = false,
        /// What begins loss recovery with SACK, and what it sends.
        pub sack_rule: SackRule = SackRule::Rfc6675,
        /// After a timeout the sender keeps what SACK told, and sends again what is missing alone (ns-3). RFC 2018 §8
        /// has it forget that, since the receiver may have dropped what it held. With `loss = "sack"`, and not with
        /// `sack-rule = "ns2"`; `judge = "rack"` keeps it in any case, as Linux does.
        pub keep_sacked: bool = false,
        /// How much is sent during recovery with SACK.
        pub recovery: RecoveryRule = RecoveryRule::Pipe,
        /// Before which gate a sender stands.
        pub gate: GateKind = GateKind::Open,
        /// What data that wait for a gap to fill take of the window that the receiver advertises.
        pub receive_buffer: ReceiveBuffer = ReceiveBuffer::Window,
        /// The receiver acknowledges every so many full segments; 1: each (RFC 9293 §3.8.6.3: at least every second).
        pub ack_every: u32 = 2 => within(1, 1000),
        /// Segment numbers, the first is 1, from which on an ACK is for one segment more: `[2, 5, 9]` has one for each
        /// of the first, for two from the 2nd, for three from the 5th, for four from the 9th (Altman & Jiménez, PWC
        /// 2003). Empty: `ack-every`.
        pub ack_steps: Vec<u32> = Vec::new(),
        /// Segments at the start of a connection that are acknowledged one by one whatever `ack-every` says. With
        /// `receiver.adaptive-acks` at most so many each time (Linux: 16). With `ack-steps` there are none.
        pub quick_acks: u32 = 0 => within(0, MOST),
        /// What a receiver does beside the standards.
        pub receiver: ReceiverConfig = ReceiverConfig::default() => inside,
        /// Longest delay of an ACK that is for more than one segment (RFC 9293 §3.8.6.3: below 0.5 s).
        pub ack_delay: Dur = Dur::from_ms(200),
    }
    also(its) {
        let rule = format_args!("not be below `tcp.min-rto`, {}", its.min_rto);
        must(its.max_rto >= its.min_rto, "max-rto", its.max_rto, rule)?;
        let rule = format_args!("lie between 1 ns and `tcp.max-rto`, {}", its.max_rto);
        let met = its.initial_rto > Dur::ZERO && its.initial_rto <= its.max_rto;
        must(met, "initial-rto", its.initial_rto, rule)?;
        if its.loss != Loss::Sack {
            its.must_not_need_sack()?;
        }
        must(its.ecn.is_on() || !its.abe, "abe", its.abe, "be false without `tcp.ecn`, which brings the marks")?;
        let counted = its.window != Window::Dctcp || its.ecn == EcnMode::Accurate;
        must(counted, "window", "\"dctcp\"", "have `tcp.ecn = \"accurate\"`, which tells the share of marks")?;
        let marked = its.sack_rule == SackRule::Fack && its.marks_losses();
        must(!marked, "sack-rule", "\"fack\"", "be another one with `tcp.judge = \"rack\"`, which marks what is lost")?;
        let forgets = its.keep_sacked && its.sack_rule == SackRule::Ns2;
        must(!forgets, "keep-sacked", true, "be false with `tcp.sack-rule = \"ns2\"`, which forgets it with each new ACK")?;
        must(its.undo || !its.frto, "frto", its.frto, "be false without `tcp.undo`, which takes the reduction back")?;
        let rule = "be at most 100 numbers, each at least 1 and none below the one before";
        let rising =
            its.ack_steps.is_sorted() && its.ack_steps.len() <= 100 && !its.ack_steps.contains(&0);
        must(rising, "ack-steps", format_args!("{:?}", its.ack_steps), rule)?;
        let least =
            if its.ack_every > 1 || !its.ack_steps.is_empty() { Dur::from_ns(1) } else { Dur::ZERO };
        within("ack-delay", its.ack_delay, least, Dur::from_secs(60))
    }
}

impl TcpConfig {
    /// Whether each lost segment is marked, as in Linux. What Linux makes of SACK beside RACK counts on that.
    pub(super) const fn marks_losses(&self) -> bool {
        matches!(self.judge, LossDetectorKind::Rack)
    }

    /// The scale of the window, as a power of two: the least with which a header can say the largest window (RFC 7323
    /// §2.3); 0 without scaling.
    pub(super) const fn scale(&self) -> u8 {
        let most = self.max_window.saturating_mul(self.segment.0);
        let mut scale = 0;
        while self.window_scaling && scale < LARGEST_SCALE && most >> scale > LARGEST_UNSCALED {
            scale += 1;
        }
        scale
    }

    /// Whether what SACK tells opens the window.
    pub(super) const fn counts_sacked(&self) -> bool {
        self.count_sacked && self.marks_losses()
    }

    /// Without SACK: what needs it is an error.
    fn must_not_need_sack(&self) -> Result<(), Wrong> {
        let (key, message, technique) = if self.recovery == RecoveryRule::Prr {
            ("recovery", "proportional rate reduction counts what SACK says was delivered", "prr")
        } else if self.judge == LossDetectorKind::KSack {
            ("judge", "k-SACK counts the losses that SACK shows", "k-sack")
        } else if self.judge == LossDetectorKind::Rack {
            ("judge", "RACK goes by the segments that SACK says have arrived", "rack-tlp")
        } else if self.sack_rule == SackRule::Fack {
            ("sack-rule", "forward acknowledgement is the last block of SACK", "fack")
        } else if self.keep_sacked {
            ("keep-sacked", "what is kept is what SACK told", "sack")
        } else if self.dsack {
            ("dsack", "DSACK is a block of SACK", "undo")
        } else if self.undo && !self.timestamps {
            ("undo", "what came twice is told by SACK", "undo")
        } else if self.tail_probe.on {
            ("tail-probe.on", "a tail loss probe asks for what SACK says has arrived", "rack-tlp")
        } else {
            return Ok(());
        };
        Err(Wrong::says(
            key,
            message,
            format!("set tcp.loss = \"sack\", as the technique `{technique}` does"),
        ))
    }

    /// What would have to be set for a key of the section to mean something, if it does not now.
    #[must_use]
    pub fn unmet(&self, key: &str) -> Option<&'static str> {
        let part = key.split('.').next().unwrap_or(key);
        let (used, needed) = match part {
            "count-sacked" | "frto" => (self.marks_losses(), "tcp.judge = \"rack\""),
            "cubic" => (self.window == Window::Cubic, "tcp.window = \"cubic\""),
            "hystart" => (self.slow_start == SlowStart::HyStart, "tcp.slow-start = \"hystart\""),
            "dcr" => (self.judge == LossDetectorKind::Dcr, "tcp.judge = \"dcr\""),
            "k-sack" => (self.judge == LossDetectorKind::KSack, "tcp.judge = \"k-sack\""),
            "rack" => (self.judge == LossDetectorKind::Rack, "tcp.judge = \"rack\""),
            "tail-probe" if key != "tail-probe.on" => (self.tail_probe.on, "tcp.tail-probe.on = true"),
            "pace" if key == "pace.slow-start-gain" || key == "pace.gain" => {
                let own = self.window.has_own_pace();
                (
                    self.pace.rule == Pace::Window && !own,
                    "tcp.pace.rule = \"window\", and no window rule with a pace of its own",
                )
            }
            "pace" if key == "pace.quantum" => {
                let paced = self.pace.rule == Pace::Window || self.window.has_own_pace();
                (paced, "tcp.pace.rule = \"window\", or a window rule with a pace of its own")
            }
            "receiver" if key == "receiver.window" || key == "receiver.buffer" => {
                (self.receiver.autotune, "tcp.receiver.autotune = true")
            }
            "sack-rule" => (self.loss == Loss::Sack, "tcp.loss = \"sack\""),
            "ecn-rule" => (self.ecn.is_on(), "tcp.ecn = true or \"accurate\""),
            "rto-variation" => (self.rto_arithmetic == RtoArithmetic::Real, "tcp.rto-arithmetic = \"real\""),
            _ => return None,
        };
        (!used).then_some(needed)
    }

    /// Slow-start threshold at the start \[segments\].
    #[must_use]
    pub fn first_ssthresh(&self) -> f64 {
        f64::from(self.initial_ssthresh.unwrap_or(self.max_window))
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
    /// A cubic function of the time since the last loss (RFC 9438).
    Cubic,
    /// The delivery rate of ten rounds, and the least round-trip time of ten seconds, at that rate (BBR version 1, as
    /// in Linux).
    Bbr,
    /// The same with bounds of what losses say of the path (BBR by draft-ietf-ccwg-bbr-06, "version 3").
    BbrDraft,
    /// As NewReno; after a loss what the path has carried in its least round-trip time (Westwood+, Grieco & Mascolo
    /// 2004).
    Westwood,
    /// Two to four segments wait in queues (Brakmo & Peterson 1995).
    Vegas,
    /// As NewReno; a loss while fewer than three segments wait in queues takes a fifth of the window (Fu & Liew 2003).
    Veno,
    /// As NewReno; marks take half of the share of bytes that are marked (DCTCP, RFC 8257). With `ecn = "accurate"`,
    /// which tells the share.
    Dctcp,
    /// It stays at `initial-window`: losses are mended as in NewReno, and something else sets the rate.
    Fixed,
}

impl Window {
    /// Whether it says at which rate segments leave.
    pub(super) const fn has_own_pace(self) -> bool {
        matches!(self, Self::Bbr | Self::BbrDraft)
    }
}

/// How much is sent during recovery with SACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RecoveryRule {
    /// While the pipe is below the window (RFC 6675 §5); with `sack-rule = "ns2"` or `"fack"` as that says.
    Pipe,
    /// For each segment delivered the share that the window keeps (proportional rate reduction, RFC 9937).
    Prr,
}

/// Which segments may be marked, and what an echo does at a window of one segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EcnRule {
    /// New data; with a window of one segment the next goes when the retransmission timer fires (RFC 3168 §6.1.2,
    /// §6.1.5).
    #[serde(rename = "rfc3168")]
    Rfc3168,
    /// Retransmissions too; CWR goes with whatever is sent next. The second echo in a row that meets a window of one
    /// segment doubles the retransmission timeout. A timeout after an echo sets the window to one segment, keeps the
    /// threshold and does not count as one, until another loss is found (ns-2).
    #[serde(rename = "ns2")]
    Ns2,
}

/// What limits how much one send attempt puts into the interface queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GateKind {
    /// Nothing but the window.
    Open,
    /// The room that the interface queue has (Seok et al. §III-B).
    InterfaceQueue,
}

/// How a receive buffer becomes an advertised window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReceiveBuffer {
    /// The window is counted from the next byte expected, and what waits beyond a gap lies within it (RFC 9293 §3.4):
    /// it stays as it is.
    Window,
    /// The window is the free space of the buffer: what waits beyond a gap is taken off it until the gap is filled
    /// (Sridhara & Subramanya, section 9). Its edge moves back, which RFC 9293 §3.8.6 discourages; what was allowed
    /// before is still taken.
    FreeSpace,
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

/// How a connection begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Handshake {
    /// With data: the whole initial window at once.
    None,
    /// With SYN and SYN-ACK (RFC 9293 §3.5).
    Syn,
    /// As ns-2's one-way agents since May 2001: a lone packet of 40 bytes and its ACK, which stand in a capture as SYN
    /// and SYN-ACK; if it is lost, the slow-start threshold falls to two segments as after any timeout.
    Ns2,
}

/// What the first and second duplicate ACK let out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LimitedTransmit {
    /// Nothing.
    Off,
    /// A segment that has never been sent (RFC 3042; with SACK as many as the pipe leaves room for, RFC 6675 §5).
    Rfc3042,
    /// The next segment in order, which after a timeout is an old one (ns-2's `singledup_`).
    Ns2,
}

/// What half of the window is rounded to, for the window and for the threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Halving {
    /// Neither is rounded; at least two segments (RFC 5681 equation 4).
    Exact,
    /// The threshold to whole segments, at least two; the window not, at least one (ns-2 since January 2006).
    WholeThreshold,
    /// Both to whole segments (ns-2 before).
    Whole,
}

/// The window after an idle time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum IdleRestart {
    /// As it was.
    Off,
    /// At most the initial window, if nothing was sent for longer than the timeout (RFC 5681 §4.1).
    InitialWindow,
    /// Half of it for each whole timeout in which nothing was sent, but not below the initial window. The threshold is
    /// at least three quarters of the window before (RFC 2861, as Linux has it, `tcp_cwnd_restart`). A rule that sets
    /// the rate itself keeps its window.
    Halving,
    /// One segment, if the timeout has passed since the last new ACK (ns-2's `slow_start_restart_`).
    OneSegment,
}
