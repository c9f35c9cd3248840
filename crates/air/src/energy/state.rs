//! The states of a radio.

/// What a radio does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RadioState {
    /// Its node is down.
    Down,
    /// Its MAC has it doze.
    Doze,
    /// It sends.
    Transmit,
    /// A frame for it, or for all, arrives that it can decode.
    Receive,
    /// It senses another signal.
    Overhear,
    /// None of these.
    Idle,
}

impl RadioState {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 6] =
        [Self::Down, Self::Doze, Self::Transmit, Self::Receive, Self::Overhear, Self::Idle];
}
