//! The snoop agent (Balakrishnan, Seshan & Katz, ACM WINET 1995): the relay keeps copies of segments on their way to
//! the destination, sends again what duplicate ACKs ask for, and lets the source hear nothing of it. With explicit loss
//! notification on top (Ding & Jamalipour, GLOBECOM 2001) the source hears of each such loss once, and that it is none
//! of its business.
//!
//! ```text
//!              new ACK: free copies, measure                       timer: the awaited copy again
//!            ┌──┐                                                ┌──┐
//!            │  ▼      first duplicate ACK: it passes            │  ▼
//!           QUIET ──────────────────────────────────► DOUBT      (in every state)
//!              ▲                                        │
//!              │ new ACK                                │ second one: the copy again, nothing passes
//!              │                                        ▼
//!              └─────────────────────────────────── EXPECTING ──┐ as many duplicate ACKs as segments had
//!                                                       ▲───────┘ followed: nothing passes
//! ```
//!
//! With ELN the copy goes with the first duplicate ACK, which passes with a mark. The agent leaves a segment to the
//! source if it has no copy, or if the source has sent the segment again itself. A copy that went in vain, because what
//! it copies had arrived, brings a duplicate ACK as well: with ELN, where one is enough, that one ends here.

use std::collections::BTreeMap;

use super::contract::{Action, Agent, Input, Towards, Verdict};
use super::counters::Counters;
use super::gaps::{Gaps, is_congested};
use crate::contract::{Cx, NodeState};
use crate::keys;
use crate::units::range::{LONGEST, MOST};
use crate::units::{Dur, SimTime};
use crate::wire::{Absorbed, Fate, PacketId, Payload, Segment, flags};

keys! {
    /// A snoop agent.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct SnoopConfig {
        /// Copies that fit (ns-2's snoop.h: 100).
        pub cache: u32 = 100 => within(1, MOST),
        /// Least time after which the oldest copy is sent again (ns-2's snoop.h: 100 ms).
        pub min_timeout: Dur = Dur::from_ms(100) => within(Dur::from_ms(1), LONGEST),
        /// How often a segment is sent from here; then it is left to the source.
        pub tries: u32 = 10 => within(0, MOST),
    }
}

/// A copy of a segment.
#[derive(Clone, Copy, Debug)]
struct Cached {
    packet: PacketId,
    segment: Segment,
    /// When it passed, or was sent from here last.
    sent: SimTime,
    /// Whether the source has sent it again itself.
    by_sender: bool,
    /// How often it was sent from here.
    tries: u32,
}

/// The relay of one flow.
#[derive(Debug)]
pub struct Snoop {
    config: SnoopConfig,
    /// Whether it tells the source of losses (ELN).
    tells: bool,
    cache: BTreeMap<u64, Cached>,
    gaps: Gaps,
    /// Highest byte acknowledged, and highest byte passed.
    acked: u64,
    top: u64,
    /// Duplicate ACKs since the last new one, and how many more are expected.
    dups: u32,
    expected: u32,
    /// Copies that were sent and may have been in vain: the first byte of each, and the highest one that had passed by
    /// then. Once something beyond that is acknowledged, whatever the copy brings has come.
    echoes: Vec<(u64, u64)>,
    /// Mean and variation of the round trip to the destination.
    srtt: Dur,
    variation: Dur,
    /// When the latest new ACK came, with which the timer starts anew.
    restarted: SimTime,
    counters: Counters,
}

impl Snoop {
    /// An agent that has seen nothing; with `tells` it notifies the source of losses.
    #[must_use]
    pub fn new(config: SnoopConfig, tells: bool) -> Self {
        Self {
            config,
            tells,
            cache: BTreeMap::new(),
            gaps: Gaps::default(),
            acked: 0,
            top: 0,
            dups: 0,
            expected: 0,
            echoes: Vec::new(),
            // As ns-2's snoop.cc has them.
            srtt: Dur::from_ms(100),
            variation: Dur::from_ms(250),
            restarted: SimTime::ZERO,
            counters: Counters::default(),
        }
    }

    /// A segment passes, in this packet.
    pub fn passing(
        &mut self,
        cx: &mut Cx<'_>,
        node_state: &NodeState,
        id: PacketId,
        segment: &Segment,
        out: &mut Vec<Action>,
    ) -> Verdict {
        if cx.packets[id].towards == Towards::Source {
            let plain = segment.flags & (flags::SYN | flags::ACK) == flags::ACK;
            return if plain { self.ack(cx, id, segment.ack, out) } else { Verdict::Pass };
        }
        if segment.len > 0 {
            self.data(cx, node_state, id, segment);
        }
        Verdict::Pass
    }

    /// Sends again what is due.
    pub fn expire(&mut self, now: SimTime, out: &mut Vec<Action>) {
        if self.due() <= now {
            self.resend(now, self.acked, out);
        }
    }

    /// A segment with payload passes.
    fn data(&mut self, cx: &mut Cx<'_>, node_state: &NodeState, id: PacketId, segment: &Segment) {
        let end = segment.seq + u64::from(segment.len);
        self.gaps.passed(node_state, segment.seq, end);
        let old = segment.seq < self.top;
        self.top = self.top.max(end);
        if let Some(cached) = self.cache.get_mut(&segment.seq) {
            (cached.sent, cached.by_sender, cached.tries) = (cx.now, true, 0);
        } else if end > self.acked
            && !is_congested(node_state)
            && self.cache.len() < self.config.cache as usize
        {
            let packet = cx.packets.copy(id);
            let segment = *segment;
            self.cache
                .insert(segment.seq, Cached { packet, segment, sent: cx.now, by_sender: old, tries: 0 });
        }
    }

    /// An ACK passes.
    fn ack(&mut self, cx: &mut Cx<'_>, id: PacketId, ack: u64, out: &mut Vec<Action>) -> Verdict {
        let gap = self.gaps.acknowledged(ack);
        if ack > self.acked {
            self.new_ack(cx, ack);
            return Verdict::Pass;
        }
        if ack < self.acked || ack >= self.top {
            return Verdict::Pass;
        }
        if self.tells && self.answers_a_copy(ack) {
            self.counters.hidden += 1;
            return Verdict::Absorb;
        }
        let Some(cached) = self.cache.get(&ack).copied().filter(|cached| !cached.by_sender) else {
            // Lost before it came here, and not sent again yet.
            return if self.tells && gap { self.mark(cx, id, flags::ELN_LOST) } else { Verdict::Pass };
        };
        if self.expected > 0 {
            self.expected -= 1;
            self.counters.hidden += 1;
            return Verdict::Absorb;
        }
        if cached.tries >= self.config.tries {
            return if self.tells { self.mark(cx, id, flags::ELN_LOST) } else { Verdict::Pass };
        }
        self.dups += 1;
        if self.dups == 1 && !self.tells {
            return Verdict::Pass;
        }
        let followed = self.cache.range(ack + 1..).count();
        self.expected = u32::try_from(followed).unwrap_or(u32::MAX).saturating_sub(self.dups);
        self.resend(cx.now, ack, out);
        if self.tells && self.dups == 1 {
            return self.mark(cx, id, flags::ELN);
        }
        self.counters.hidden += 1;
        Verdict::Absorb
    }

    /// Whether a duplicate ACK may be the destination's word on a copy of what it had already; each copy accounts for
    /// one.
    fn answers_a_copy(&mut self, ack: u64) -> bool {
        let had = self.echoes.iter().position(|&(seq, _)| seq < ack);
        had.map(|at| self.echoes.remove(at)).is_some()
    }

    fn mark(&mut self, cx: &mut Cx<'_>, id: PacketId, bits: u8) -> Verdict {
        if let Payload::Tcp(segment) = &mut cx.packets[id].payload {
            segment.flags |= bits;
            self.counters.marked += 1;
        }
        Verdict::Pass
    }

    fn new_ack(&mut self, cx: &mut Cx<'_>, ack: u64) {
        (self.acked, self.dups, self.expected, self.restarted) = (ack, 0, 0, cx.now);
        self.echoes.retain(|&(_, passed)| passed >= ack);
        let rest = self.cache.split_off(&ack);
        let freed = std::mem::replace(&mut self.cache, rest);
        // RFC 6298's weights; ns-2's give the newest sample seven eighths.
        if let Some(newest) = freed.values().next_back().filter(|it| it.tries == 0 && !it.by_sender) {
            let sample = cx.now.saturating_since(newest.sent).as_ns();
            let (mean, variation) = (self.srtt.as_ns(), self.variation.as_ns());
            self.variation = Dur::from_ns((3 * variation + mean.abs_diff(sample)) / 4);
            self.srtt = Dur::from_ns((7 * mean + sample) / 8);
        }
        for cached in freed.values() {
            cx.packets.end(cached.packet, Fate::Absorbed(Absorbed::Proxy));
        }
    }

    fn resend(&mut self, now: SimTime, seq: u64, out: &mut Vec<Action>) {
        if let Some(cached) = self.cache.get_mut(&seq) {
            (cached.sent, cached.tries) = (now, cached.tries + 1);
            self.counters.retransmissions += 1;
            self.echoes.push((seq, self.top));
            out.push(Action::Resend(cached.packet, cached.segment));
        }
    }

    /// When the copy is sent again that the destination waits for. If there is none, what is missing was lost before it
    /// came here: copies of what follows have arrived, or will, and would bring nothing but duplicate ACKs.
    #[must_use]
    pub fn due(&self) -> SimTime {
        let wait = (self.srtt + self.variation * 4).max(self.config.min_timeout);
        let awaited = self.cache.get(&self.acked).filter(|it| it.tries < self.config.tries);
        awaited.map_or(SimTime::MAX, |it| it.sent.max(self.restarted) + wait)
    }
}

impl Agent for Snoop {
    fn handle(
        &mut self,
        cx: &mut Cx<'_>,
        node_state: &NodeState,
        input: Input,
        out: &mut Vec<Action>,
    ) -> Verdict {
        let mut verdict = Verdict::Pass;
        if let Input::Passing(id) = input
            && let Payload::Tcp(segment) = cx.packets[id].payload
        {
            verdict = self.passing(cx, node_state, id, &segment, out);
        }
        self.expire(cx.now, out);
        out.push(Action::Arm(self.due()));
        verdict
    }

    fn packets(&self) -> Vec<PacketId> {
        self.cache.values().map(|cached| cached.packet).collect()
    }

    /// They are copies: nothing is lost with them.
    fn flush(&mut self, cx: &mut Cx<'_>) -> Vec<PacketId> {
        for id in self.packets() {
            cx.packets.end(id, Fate::Absorbed(Absorbed::Proxy));
        }
        let counters = self.counters;
        *self = Self { counters, ..Self::new(self.config, self.tells) };
        Vec::new()
    }

    fn each_counter(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        self.counters.each(tell);
    }
}
