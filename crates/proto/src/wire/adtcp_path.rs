//! What the ends of ADTCP tell each other (Fu, Greenstein, Meng & Lu, ICNP 2002): the sender when it sent a segment,
//! the receiver what it takes the path for. Each is a TCP option for experiments (RFC 6994) of eight bytes:
//!
//! ```text
//!   sent     253 | length 8 | ExID | sending time, µs modulo 2^32
//!   state    253 | length 5 | ExID | state | 1 1 1 (no operation)
//! ```
//!
//! The experiment's number is not registered.

use super::malformed::Malformed;
use crate::units::SimTime;

/// Option kind for experiments, RFC 4727 §6.
const KIND: u8 = 253;
/// The experiment: "AD".
const EXID: [u8; 2] = *b"AD";

/// What a receiver takes the path for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PathState {
    /// Nothing is wrong.
    Normal,
    /// Segments are delayed and come slowly.
    Congestion,
    /// Segments overtake each other.
    RouteChange,
    /// Segments are missing.
    ChannelError,
    /// Nothing had come for a while.
    Disconnected,
}

impl PathState {
    const ALL: [Self; 5] =
        [Self::Normal, Self::Congestion, Self::RouteChange, Self::ChannelError, Self::Disconnected];
}

/// The option of a segment, if it has one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PathOption {
    /// None.
    #[default]
    None,
    /// When its packet was made.
    Sent,
    /// What the receiver takes the path for.
    State(PathState),
}

impl PathOption {
    /// Bytes that it takes in the header, a multiple of four (RFC 9293 §3.1).
    #[inline]
    #[must_use]
    pub const fn size(self) -> u32 {
        match self {
            Self::None => 0,
            Self::Sent | Self::State(_) => 8,
        }
    }

    /// The very bytes, of a packet made then; none without an option.
    #[must_use]
    pub fn emit(self, created: SimTime) -> Option<[u8; 8]> {
        let [a, b] = EXID;
        match self {
            Self::None => None,
            Self::Sent => {
                let [w, x, y, z] = microseconds(created).to_be_bytes();
                Some([KIND, 8, a, b, w, x, y, z])
            }
            Self::State(state) => {
                let code = PathState::ALL.iter().position(|&it| it == state).unwrap_or_default() as u8; // one of five
                Some([KIND, 5, a, b, code, 1, 1, 1])
            }
        }
    }

    /// Reads what [`Self::emit`] writes; of a sending time, the time too \[µs\].
    ///
    /// # Errors
    /// Bytes that are no option of this experiment.
    pub fn parse(bytes: [u8; 8]) -> Result<(Self, u32), Malformed> {
        match bytes {
            [KIND, 8, a, b, w, x, y, z] if [a, b] == EXID => {
                Ok((Self::Sent, u32::from_be_bytes([w, x, y, z])))
            }
            [KIND, 5, a, b, code, 1, 1, 1] if [a, b] == EXID => match PathState::ALL.get(usize::from(code)) {
                Some(&state) => Ok((Self::State(state), 0)),
                None => Err(Malformed("a path has no such state")),
            },
            _ => Err(Malformed("no option of this experiment")),
        }
    }
}

/// An instant as the option carries it.
#[must_use]
pub const fn microseconds(at: SimTime) -> u32 {
    (at.as_ns() / 1_000) as u32 // modulo 2^32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_written_is_read() {
        let at = SimTime::from_us(5_000_000_000);
        for state in PathState::ALL {
            let bytes = PathOption::State(state).emit(at).expect("it has bytes");
            assert_eq!(PathOption::parse(bytes), Ok((PathOption::State(state), 0)));
        }
        let sent = PathOption::Sent.emit(at).expect("it has bytes");
        assert_eq!(PathOption::parse(sent), Ok((PathOption::Sent, 705_032_704)), "modulo 2^32");
        assert_eq!(PathOption::None.emit(at), None);
    }

    #[test]
    fn a_segment_is_as_long_as_without() {
        assert_eq!(size_of::<crate::wire::Segment>(), 64);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(bytes: [u8; 8], experiment: bool, code in 0u8..8) {
            let bytes = if experiment { [KIND, 5, EXID[0], EXID[1], code, 1, 1, 1] } else { bytes };
            if let Ok((option, at)) = PathOption::parse(bytes) {
                prop_assert_eq!(option.emit(SimTime::from_us(u64::from(at))), Some(bytes));
            }
        }
    }
}
