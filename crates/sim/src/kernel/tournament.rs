//! Slots for keys, and a tournament over rows of slots: the least key of all is always known.
//!
//! A row plays with its least key. A changed row plays only when another row changes or the least key is asked
//! for: an event and its answers mostly concern a few neighbouring slots.

/// The greatest key: of a slot that is off.
pub(super) const OFF: u64 = u64::MAX;
/// Slots of a row.
const ROW: usize = 8;
const NONE: usize = usize::MAX;

/// Players of a match above the rows: of two it would take twice as many rounds, and a match costs little more.
const MATCH: usize = 4;

/// Slots under a complete tree.
#[derive(Clone, Debug)]
pub(super) struct Tournament {
    rows: Vec<[u64; ROW]>,
    /// In heap order: player `n` plays at place `(n - 1) % MATCH` of match `(n - 1) / MATCH`. The last match is
    /// number 0, and the player that wins match `m` goes on as player `m`; player 0 has won.
    matches: Vec<[u64; MATCH]>,
    /// The rows are the players from this one on.
    first: usize,
    /// Row that has changed since it played last; `NONE` if there is none.
    touched: usize,
    /// The least key, unless a row is `touched`.
    least: u64,
}

impl Tournament {
    /// So many slots, all off.
    pub(super) fn new(slots: usize) -> Self {
        let rows = slots.div_ceil(ROW);
        let mut matches = 0;
        while matches * (MATCH - 1) + 1 < rows {
            matches = matches * MATCH + 1;
        }
        Self {
            rows: vec![[OFF; ROW]; rows],
            matches: vec![[OFF; MATCH]; matches],
            first: matches,
            touched: NONE,
            least: OFF,
        }
    }

    /// Sets the key of a slot.
    #[inline(always)]
    pub(super) fn put(&mut self, slot: usize, key: u64) {
        let row = slot / ROW;
        if self.touched != row && self.touched != NONE {
            return self.play_and_put(slot, key);
        }
        self.touched = row;
        self.rows[row][slot % ROW] = key;
    }

    /// The key of a slot.
    pub(super) fn get(&self, slot: usize) -> u64 {
        self.rows[slot / ROW][slot % ROW]
    }

    /// Turns the slot of the least key off. No row is touched between that question and this answer.
    #[inline(always)]
    pub(super) fn take(&mut self, slot: usize) {
        let row = slot / ROW;
        self.touched = row;
        self.rows[row][slot % ROW] = OFF;
    }

    /// Whether every row has played since it changed.
    pub(super) const fn is_settled(&self) -> bool {
        self.touched == NONE
    }

    /// The least key of all.
    #[inline]
    pub(super) fn least(&mut self) -> u64 {
        self.replay();
        self.least
    }

    #[inline]
    fn replay(&mut self) {
        if self.touched != NONE {
            self.play(self.touched);
            self.touched = NONE;
        }
    }

    /// The touched row plays before another one changes. Apart, so that the usual change stays short.
    #[inline(never)]
    fn play_and_put(&mut self, slot: usize, key: u64) {
        self.play(self.touched);
        self.touched = slot / ROW;
        self.rows[slot / ROW][slot % ROW] = key;
    }

    /// A row plays, up to the last round. No branch depends on a key: the winner is as good as random. And the player
    /// that is to act next hangs on the outcome, so in each match the row's key meets only the least of the others,
    /// which is known before.
    #[inline(always)]
    fn play(&mut self, row: usize) {
        let [a, b, c, d, e, f, g, h] = self.rows[row];
        let mut least = a.min(b).min(c.min(d)).min(e.min(f).min(g.min(h)));
        let matches = self.matches.as_mut_slice();
        let mut player = self.first + row;
        while player > 0 {
            let (place, number) = ((player - 1) % MATCH, (player - 1) / MATCH);
            let players = &mut matches[number];
            let others = others(players, place);
            players[place] = least;
            least = least.min(others);
            player = number;
        }
        self.least = least;
    }
}

/// The least key of a match without that of one player.
#[inline(always)]
fn others(players: &[u64; MATCH], place: usize) -> u64 {
    players[place ^ 1].min(players[place ^ 2]).min(players[place ^ 3])
}
