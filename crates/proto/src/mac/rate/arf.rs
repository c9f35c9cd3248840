//! Auto rate fallback, ARF (Kamerman & Monteban, "WaveLAN-II: a high-performance wireless LAN for the unlicensed band",
//! Bell Labs Technical Journal 2, 1997).
//!
//! ```text
//!            10 ACKs in a row, or the timer
//!        ┌────────────────────────────────────┐
//!        │                                    ▼
//!   ┌─ STEADY ─┐ ◄──────── ACK ───────── TRYING, one rate higher
//!   │          │                              │
//!   └──────────┘ ◄─── no ACK: one lower ──────┘
//!    two in a row without an ACK: one lower
//! ```
//!
//! A fall starts the timer, a rise stops it.

use super::config::ArfConfig;
use super::contract::{Attempt, RateRule};
use crate::units::{NodeId, SimTime};

/// What a station knows of one neighbour.
#[derive(Clone, Copy, Debug)]
struct Neighbour {
    node: NodeId,
    /// Place of its rate in the ladder.
    rung: usize,
    /// ACKs in a row, and attempts without one in a row, at this rate.
    acks: u32,
    losses: u32,
    /// The rate is higher than before and no ACK has come at it.
    trying: bool,
    /// When the next higher rate is tried at the latest; `SimTime::MAX` while the timer stands.
    rise_at: SimTime,
}

impl Neighbour {
    fn climb(&mut self) {
        self.rung += 1;
        (self.acks, self.losses, self.trying, self.rise_at) = (0, 0, true, SimTime::MAX);
    }

    fn fall(&mut self, rise_at: SimTime) {
        self.rung = self.rung.saturating_sub(1);
        (self.acks, self.losses, self.trying, self.rise_at) = (0, 0, false, rise_at);
    }
}

/// ARF of one station: the rate of each neighbour by what came of the frames to it.
#[derive(Clone, Debug)]
pub struct Arf {
    config: ArfConfig,
    /// Place of the highest rate in the ladder.
    top: usize,
    neighbours: Vec<Neighbour>,
}

impl Arf {
    /// A station that begins at the rate with this place in the ladder, the highest that it may use.
    #[must_use]
    pub const fn new(config: ArfConfig, top: usize) -> Self {
        Self { config, top, neighbours: Vec::new() }
    }

    fn neighbour(&mut self, node: NodeId) -> &mut Neighbour {
        let place = self.neighbours.iter().position(|one| one.node == node).unwrap_or_else(|| {
            let fresh =
                Neighbour { node, rung: self.top, acks: 0, losses: 0, trying: false, rise_at: SimTime::MAX };
            self.neighbours.push(fresh);
            self.neighbours.len() - 1
        });
        &mut self.neighbours[place]
    }
}

impl RateRule for Arf {
    fn choose(&mut self, now: SimTime, to: NodeId) -> Attempt {
        let top = self.top;
        let neighbour = self.neighbour(to);
        if neighbour.rise_at <= now && neighbour.rung < top {
            neighbour.climb();
        }
        Attempt::at(neighbour.rung)
    }

    /// A frame is acknowledged if any of its MPDUs is.
    fn report(&mut self, now: SimTime, to: NodeId, _: Attempt, (_, acked): (usize, usize)) {
        let (top, ArfConfig { up_after, down_after, timer }) = (self.top, self.config);
        let neighbour = self.neighbour(to);
        if acked > 0 {
            neighbour.acks = neighbour.acks.saturating_add(1);
            (neighbour.losses, neighbour.trying) = (0, false);
            if neighbour.acks >= up_after && neighbour.rung < top {
                neighbour.climb();
            }
            return;
        }
        neighbour.acks = 0;
        neighbour.losses += 1;
        if neighbour.trying || neighbour.losses >= down_after {
            neighbour.fall(now + timer);
        }
    }

    fn forget(&mut self) {
        self.neighbours.clear();
    }
}
