//! Minstrel-HT: the rate of the greatest expected throughput, by what became of MPDUs; a few frames try other rates.
//!
//! Linux, `net/mac80211/rc80211_minstrel_ht.c`, since 2021, or ns-3.44's after an older one. [`Table`] is what a
//! station has found out about a neighbour's rates, [`Sampling`] says what to try, [`Chain`] at which rates a frame
//! goes until an answer comes. The versions differ in [`Estimate`], in [`Sampling`] and in whether an RTS protects what
//! is fallen back to.

mod chain;
pub mod config;
mod estimate;
mod sampling;
mod table;
#[cfg(test)]
mod tests;

use super::contract::{Attempt, RateRule};
use crate::phy::TxVector;
use crate::units::{Dur, NodeId, Rng, SimTime};
use chain::Chain;
use config::{MinstrelHtConfig, MinstrelHtVersion};
use estimate::Estimate;
use sampling::{AnySampling, Sampling};
use table::{Cost, Table};

/// What a station keeps of a neighbour.
#[derive(Clone, Debug)]
struct Neighbour {
    node: NodeId,
    table: Table,
    sampling: AnySampling,
    /// The chain of the frame in service.
    chain: Option<Chain>,
    /// When the statistics are next taken.
    update: SimTime,
}

impl Neighbour {
    /// ns-3.44: a frame without an answer counts as one MPDU. The MPDUs of an aggregate are besides lost at what the
    /// chain has next: each time is a step of the chain, too.
    fn missed(&mut self, config: &MinstrelHtConfig, attempt: Attempt, sent: u32, losses: u32) {
        self.table.missed(attempt.rung);
        if attempt.probe {
            self.chain = Some(Chain::below_the_best(&self.table, config));
        } else if !self.chain.as_mut().is_some_and(Chain::fail) {
            self.chain = None;
        }
        if sent < 2 {
            return;
        }
        for _ in 0..losses {
            let chain = self.chain.get_or_insert_with(|| Chain::new(&self.table, config));
            self.table.note(chain.attempt().rung, sent, 0);
            if !chain.fail() {
                self.chain = None;
            }
        }
    }
}

/// Minstrel-HT of one station.
#[derive(Clone, Debug)]
pub struct MinstrelHt {
    config: MinstrelHtConfig,
    costs: Vec<Cost>,
    neighbours: Vec<Neighbour>,
    rng: Rng,
    probes: u64,
    /// How often the MPDUs of a frame without an answer are lost in ns-3.44's count: when its answer is missing, and
    /// when a request has found out.
    losses: u32,
}

impl MinstrelHt {
    /// A station that chooses among these, the slowest first; `overhead` is what an exchange takes beside the frame's
    /// payload. `asks`: after a missing block ack it asks for one.
    #[must_use]
    pub fn new(
        config: MinstrelHtConfig,
        ladder: &[TxVector],
        overhead: impl Fn(TxVector) -> Dur,
        asks: bool,
        rng: Rng,
    ) -> Self {
        let costs = ladder.iter().map(|&tx| Cost::new(tx, overhead(tx))).collect();
        Self { config, costs, neighbours: Vec::new(), rng, probes: 0, losses: 1 + u32::from(asks) }
    }

    fn place(&mut self, now: SimTime, node: NodeId) -> usize {
        self.neighbours.iter().position(|it| it.node == node).unwrap_or_else(|| {
            let table = Table::new(Estimate::of(self.config.version), &self.costs);
            let mut sampling = AnySampling::new(&self.config, now, &table);
            sampling.refill(&table, &mut self.rng);
            let update = now + self.config.update;
            self.neighbours.push(Neighbour { node, table, sampling, chain: None, update });
            self.neighbours.len() - 1
        })
    }
}

impl RateRule for MinstrelHt {
    fn choose(&mut self, now: SimTime, to: NodeId) -> Attempt {
        let config = self.config;
        let place = self.place(now, to);
        let Neighbour { table, sampling, chain, update, .. } = &mut self.neighbours[place];
        if now >= *update {
            table.update();
            sampling.refill(table, &mut self.rng);
            *update = now + config.update;
        }
        if table.has_collapsed() {
            table.step_down();
            *chain = None;
        }
        if chain.is_none()
            && let Some(probe) = sampling.next(now, table, &mut self.rng)
        {
            return probe;
        }
        chain.get_or_insert_with(|| Chain::new(table, &config)).attempt()
    }

    fn report(&mut self, now: SimTime, to: NodeId, attempt: Attempt, (sent, acked): (usize, usize)) {
        self.probes += u64::from(attempt.probe);
        let place = self.place(now, to);
        if self.config.version == MinstrelHtVersion::Ns3 && acked == 0 {
            self.neighbours[place].missed(&self.config, attempt, sent as u32, self.losses); // no more than a window
            return;
        }
        let Neighbour { table, chain, .. } = &mut self.neighbours[place];
        table.note(attempt.rung, sent as u32, acked as u32);
        if attempt.probe {
            return;
        }
        let goes_on = acked == 0 && chain.as_mut().is_some_and(Chain::fail);
        if !goes_on {
            *chain = None;
        }
    }

    /// That of the best rate; zero of a neighbour that it knows nothing of.
    fn expected_throughput(&self, to: NodeId) -> Option<f64> {
        let of = self.neighbours.iter().find(|it| it.node == to);
        Some(of.map_or(0.0, |it| it.table.throughput(it.table.best()[0])))
    }

    fn probes(&self) -> Option<u64> {
        Some(self.probes)
    }

    fn forget(&mut self) {
        self.neighbours.clear();
    }
}
