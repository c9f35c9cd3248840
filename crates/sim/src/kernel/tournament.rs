//! Slots for keys, and a tournament over rows of slots: the least key of all is always known.
//!
//! A row plays with its least key. A changed row plays only when another row changes or the least key is asked
//! for: an event and its answers mostly concern a few neighbouring slots.

/// The greatest key: of a slot that is off.
pub(super) const OFF: u64 = u64::MAX;
/// Slots of a row.
const ROW: usize = 8;
const NONE: usize = usize::MAX;

/// Slots under a complete binary tree.
#[derive(Clone, Debug)]
pub(super) struct Tournament {
    rows: Vec<[u64; ROW]>,
    /// The tree in heap order, by pairs of siblings: those under the root are pair 1, and those under the one on
    /// `side` of pair `p` are pair `2p + side`. The rows play in the last round, `leaves` of them.
    rounds: Vec<[u64; 2]>,
    leaves: usize,
    /// Row that has changed since it played last; `NONE` if there is none.
    touched: usize,
    /// The least key, unless a row is `touched`.
    least: u64,
}

impl Tournament {
    /// So many slots, all off.
    pub(super) fn new(slots: usize) -> Self {
        let rows = slots.div_ceil(ROW);
        let leaves = rows.next_power_of_two();
        Self {
            rows: vec![[OFF; ROW]; rows],
            rounds: vec![[OFF; 2]; leaves],
            leaves,
            touched: NONE,
            least: OFF,
        }
    }

    /// Sets the key of a slot.
    #[inline(always)]
    pub(super) fn put(&mut self, slot: usize, key: u64) {
        let row = slot / ROW;
        if row != self.touched {
            self.settle();
            self.touched = row;
        }
        self.rows[row][slot % ROW] = key;
    }

    /// The key of a slot.
    pub(super) fn get(&self, slot: usize) -> u64 {
        self.rows[slot / ROW][slot % ROW]
    }

    /// The least key of all.
    #[inline]
    pub(super) fn least(&mut self) -> u64 {
        self.settle();
        self.least
    }

    #[inline]
    fn settle(&mut self) {
        if self.touched != NONE {
            self.play(self.touched);
            self.touched = NONE;
        }
    }

    /// A row plays, up to the last round. No branch depends on a key: who wins is as good as random.
    #[inline]
    fn play(&mut self, row: usize) {
        let [a, b, c, d, e, f, g, h] = self.rows[row];
        let mut least = a.min(b).min(c.min(d)).min(e.min(f).min(g.min(h)));
        let rounds = self.rounds.as_mut_slice();
        let mut player = self.leaves + row;
        while player > 1 {
            let (pair, side) = (&mut rounds[player / 2], player % 2);
            pair[side] = least;
            least = least.min(pair[1 - side]);
            player /= 2;
        }
        self.least = least;
    }
}
