//! Minstrel: the rate of the greatest expected throughput, by what became of frames; one frame in ten tries another.
//!
//! The rate control of Linux before 2021 for 802.11a, b and g (`net/mac80211/rc80211_minstrel.c`; D. Xia, J. Hart,
//! Q. Fu, "Evaluation of the Minstrel rate adaptation algorithm in IEEE 802.11g WLANs", ICC 2013), as ns-3.44 has it.
//! [`Table`] is what a station has found out about a neighbour's rates, [`Sampler`] says which frame tries what, and
//! [`Chain`] at which rates a frame goes until an ACK comes.

mod chain;
pub mod config;
mod sampler;
mod table;
#[cfg(test)]
mod tests;

use super::contract::{Attempt, RateRule};
use crate::phy::TxVector;
use crate::units::{Dur, NodeId, Rng, SimTime};
use chain::Chain;
use config::MinstrelConfig;
use sampler::Sampler;
use table::{Cost, Table};

/// What a station keeps of a neighbour.
#[derive(Clone, Debug)]
struct Neighbour {
    node: NodeId,
    table: Table,
    sampler: Sampler,
    /// The chain of the frame in service.
    chain: Option<Chain>,
    /// When the statistics are next taken.
    update: SimTime,
}

impl Neighbour {
    /// The frame in service is done with.
    fn end_frame(&mut self) {
        if let Some(chain) = self.chain.take() {
            self.sampler.count(chain.has_deferred_sample_used());
        }
    }
}

/// Minstrel of one station.
#[derive(Clone, Debug)]
pub struct Minstrel {
    config: MinstrelConfig,
    costs: Vec<Cost>,
    neighbours: Vec<Neighbour>,
    rng: Rng,
    probes: u64,
}

impl Minstrel {
    /// A station that chooses among these, the slowest first; `answer` is what follows a frame until its ACK is over,
    /// `windows` the least contention window and the greatest.
    #[must_use]
    pub fn new(
        config: MinstrelConfig,
        ladder: &[TxVector],
        answer: impl Fn(TxVector) -> Dur,
        slot: Dur,
        windows: (u32, u32),
        rng: Rng,
    ) -> Self {
        let cost = |&tx: &TxVector| Cost::new(tx, answer(tx), slot, windows, config.stage);
        Self { config, costs: ladder.iter().map(cost).collect(), neighbours: Vec::new(), rng, probes: 0 }
    }

    fn place(&mut self, now: SimTime, node: NodeId) -> usize {
        self.neighbours.iter().position(|it| it.node == node).unwrap_or_else(|| {
            let table = Table::new(&self.costs);
            let sampler = Sampler::new(table.len(), self.config.look_around, &mut self.rng);
            let update = now + self.config.update;
            self.neighbours.push(Neighbour { node, table, sampler, chain: None, update });
            self.neighbours.len() - 1
        })
    }
}

impl RateRule for Minstrel {
    fn choose(&mut self, now: SimTime, to: NodeId) -> Attempt {
        let MinstrelConfig { update: every, weight, .. } = self.config;
        let place = self.place(now, to);
        let Neighbour { table, sampler, chain, update, .. } = &mut self.neighbours[place];
        if let Some(chain) = chain {
            return chain.attempt();
        }
        if now >= *update {
            table.update(weight);
            *update = now + every;
        }
        let sample = sampler.next(table);
        chain.insert(Chain::new(table, sample)).attempt()
    }

    fn report(&mut self, now: SimTime, to: NodeId, attempt: Attempt, (_, acked): (usize, usize)) {
        self.probes += u64::from(attempt.probe);
        let place = self.place(now, to);
        let neighbour = &mut self.neighbours[place];
        neighbour.table.note(attempt.rung, acked > 0);
        if acked > 0 {
            neighbour.end_frame();
        } else if let Some(chain) = &mut neighbour.chain {
            chain.fail();
        }
    }

    fn begin(&mut self, to: NodeId) {
        if let Some(neighbour) = self.neighbours.iter_mut().find(|it| it.node == to) {
            neighbour.end_frame();
        }
    }

    /// That of the best rate; zero of a neighbour that it knows nothing of.
    fn expected_throughput(&self, to: NodeId) -> Option<f64> {
        let of = self.neighbours.iter().find(|it| it.node == to);
        Some(of.map_or(0.0, |it| it.table.throughput(it.table.best())))
    }

    fn probes(&self) -> Option<u64> {
        Some(self.probes)
    }

    fn forget(&mut self) {
        self.neighbours.clear();
    }
}
