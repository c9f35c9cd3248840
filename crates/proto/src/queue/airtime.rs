//! Airtime fairness: next hops take turns by the time on the air that frames to and from them need, and the flows of a
//! next hop take turns by bytes.
//!
//! ```text
//!   a next hop with credit          one of its packets goes
//!   without                         it gets a quantum more and goes behind the others
//!   each of its frames              takes its time on the air of the credit, when it is known
//! ```
//!
//! Høiland-Jørgensen, Kazior, Täht, Hurtig & Brunstrom, "Ending the Anomaly", USENIX ATC 2017, §3.2; order and credit
//! as in Linux's mac80211 (`ieee80211_next_txq`): a next hop that begins to wait goes first and keeps what it owes.

use std::collections::VecDeque;

use super::classes::ClassTable;
use super::flow_queues::FlowQueues;
use super::turns::Turns;
use crate::keys;
use crate::units::{Bytes, Dur, NodeId};

keys! {
    /// Airtime fairness.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct AirtimeConfig {
        /// Time on the air that a next hop gets in its turn (Linux: 256 us).
        pub quantum: Dur = Dur::from_us(256) => within(Dur::from_us(1), Dur::from_secs(1)),
        /// Packets for one next hop that the MAC has at once may need so much time on the air, by what earlier ones
        /// needed (Linux's airtime queue limit: 12 ms); absent: any. One packet may always go.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub limit: Option<Dur> = None => if_set(Dur::from_us(1), Dur::from_secs(10)),
    }
}

/// What frames to a next hop have cost: those of the last 100 ms of time on the air count most.
#[derive(Clone, Copy, Debug, Default)]
struct Cost {
    airtime: Dur,
    bytes: u64,
}

/// Time on the air after which older frames count half.
const MEMORY: Dur = Dur::from_ms(100);

impl Cost {
    fn add(&mut self, airtime: Dur) {
        self.airtime += airtime;
        if self.airtime > MEMORY {
            (self.airtime, self.bytes) = (self.airtime / 2, self.bytes / 2);
        }
    }

    /// Time on the air that so many bytes need; none before the first has arrived.
    fn of(self, bytes: u64) -> Option<Dur> {
        (self.bytes > 0)
            .then(|| Dur::from_secs_f64(self.airtime.as_secs_f64() * bytes as f64 / self.bytes as f64))
    }
}

/// A next hop that has, or had, packets here.
#[derive(Clone, Debug)]
struct NextHop {
    to: NodeId,
    /// Its classes.
    flows: FlowQueues,
    /// Whether it stands among those that take turns.
    waits: bool,
    /// Time on the air that it may use before its turn ends \[ns\].
    credit: i64,
    cost: Cost,
}

/// Next hops that take turns by time on the air.
#[derive(Clone, Debug)]
pub struct AirtimeTurns {
    config: AirtimeConfig,
    /// Bytes that a class of a next hop gets in its turn.
    bytes: Bytes,
    hops: Vec<NextHop>,
    /// The next hop of each class, by its place in `hops`.
    of_class: Vec<usize>,
    /// Those that wait, by their places: the first has its turn.
    order: VecDeque<usize>,
    turns: u64,
}

fn ns(time: Dur) -> i64 {
    i64::try_from(time.as_ns()).unwrap_or(i64::MAX)
}

impl AirtimeTurns {
    /// A service in which a class of a next hop gets `quantum` bytes in its turn.
    #[must_use]
    pub const fn new(config: AirtimeConfig, quantum: Bytes) -> Self {
        Self {
            config,
            bytes: quantum,
            hops: Vec::new(),
            of_class: Vec::new(),
            order: VecDeque::new(),
            turns: 0,
        }
    }

    /// The place of a next hop.
    fn place(&mut self, to: NodeId) -> usize {
        self.hops.iter().position(|hop| hop.to == to).unwrap_or_else(|| {
            let credit = ns(self.config.quantum);
            let flows = FlowQueues::new(self.bytes);
            self.hops.push(NextHop { to, flows, waits: false, credit, cost: Cost::default() });
            self.hops.len() - 1
        })
    }

    /// The next hop whose turn it is goes behind the others.
    fn end_turn(&mut self) {
        if let Some(hop) = self.order.pop_front() {
            self.turns += u64::from(!self.order.is_empty());
            self.order.push_back(hop);
        }
    }

    /// A next hop waits, behind the others.
    fn put_behind(&mut self, hop: usize) {
        self.order.retain(|&other| other != hop);
        self.turns += u64::from(!self.order.is_empty());
        self.order.push_back(hop);
        self.hops[hop].waits = true;
    }
}

impl Turns for AirtimeTurns {
    fn activate(&mut self, class: usize, to: NodeId) {
        let hop = self.place(to);
        if self.of_class.len() <= class {
            self.of_class.resize(class + 1, hop);
        }
        self.of_class[class] = hop;
        let it = &mut self.hops[hop];
        it.flows.activate(class, to);
        if !std::mem::replace(&mut it.waits, true) {
            self.order.push_front(hop);
        }
    }

    fn next(&mut self, classes: &ClassTable) -> Option<usize> {
        loop {
            let it = &mut self.hops[*self.order.front()?];
            match it.flows.next(classes) {
                Some(class) if it.credit > 0 => return Some(class),
                Some(_) => {
                    it.credit += ns(self.config.quantum);
                    self.end_turn();
                }
                None => {
                    it.waits = false;
                    self.order.pop_front();
                }
            }
        }
    }

    fn partner(&mut self, classes: &ClassTable, taken: &dyn Fn(usize) -> bool) -> Option<usize> {
        let Self { hops, order, .. } = self;
        order.iter().find_map(|&hop| hops[hop].flows.partner(classes, taken))
    }

    fn charge(&mut self, class: usize, size: Bytes, emptied: bool) {
        self.hops[self.of_class[class]].flows.charge(class, size, emptied);
    }

    fn refund(&mut self, class: usize, size: Bytes) {
        let hop = self.of_class[class];
        self.hops[hop].flows.refund(class, size);
        self.put_behind(hop);
    }

    fn rotate(&mut self, class: usize) {
        let hop = self.of_class[class];
        self.hops[hop].flows.rotate(class);
        self.put_behind(hop);
    }

    fn retire(&mut self, _class: usize) {} // an empty next hop leaves at its next turn

    fn clear(&mut self) {
        self.order.clear();
        for hop in &mut self.hops {
            hop.flows.clear();
            (hop.waits, hop.credit) = (false, ns(self.config.quantum));
        }
    }

    fn turns(&self) -> u64 {
        self.turns
    }

    fn used(&mut self, to: NodeId, airtime: Dur, own: bool) {
        if let Some(hop) = self.hops.iter_mut().find(|hop| hop.to == to) {
            if own {
                hop.cost.add(airtime);
            }
            if own || hop.waits {
                hop.credit -= ns(airtime);
            }
        }
    }

    fn arrived(&mut self, class: usize, size: Bytes) {
        self.hops[self.of_class[class]].cost.bytes += u64::from(size.0);
    }

    fn has_room(&self, class: usize, bytes: u64) -> bool {
        let place = self.of_class[class];
        let hop = &self.hops[place];
        let on_turn = hop.credit > 0 || self.order.front() == Some(&place);
        on_turn && self.config.limit.is_none_or(|limit| hop.cost.of(bytes).is_none_or(|time| time <= limit))
    }
}
