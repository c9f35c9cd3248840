//! Which user priority a codepoint means.

use crate::wire::{Dscp, UserPriority};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a station finds the user priority of a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DscpMap {
    /// The first three bits of the DSCP, as Linux had it before version 6.8: EF is video.
    #[default]
    Linux,
    /// The table of RFC 8325 §4.3: EF is voice.
    Rfc8325,
    /// ns-3's rule, which is the same three bits.
    Ns3,
}

impl DscpMap {
    /// The user priority of a codepoint.
    #[must_use]
    pub const fn priority(self, dscp: Dscp) -> UserPriority {
        UserPriority::new(match self {
            Self::Linux | Self::Ns3 => dscp.precedence(),
            Self::Rfc8325 => match dscp.number() {
                48 | 56 => 7,           // CS6, CS7
                44 | 46 => 6,           // VA, EF
                40 => 5,                // CS5
                24 | 26 | 28 | 30 => 4, // CS3, AF3x
                32 | 34 | 36 | 38 => 4, // CS4, AF4x
                18 | 20 | 22 => 3,      // AF2x
                8 => 1,                 // CS1
                _ => 0,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Category;

    fn categories(map: DscpMap, names: &[&str]) -> Vec<Category> {
        let of = |name: &&str| map.priority(name.parse().expect("a DSCP")).category();
        names.iter().map(of).collect()
    }

    #[test]
    fn the_maps_differ_where_they_are_known_to() {
        use Category::{Background, BestEffort, Video, Voice};
        let names = ["CS0", "CS1", "AF21", "AF31", "AF41", "CS4", "CS5", "VA", "EF", "CS6", "CS7", "CS2"];
        let bits = [
            BestEffort, Background, Background, BestEffort, Video, Video, Video, Video, Video, Voice, Voice,
            Background,
        ];
        assert_eq!(categories(DscpMap::Linux, &names), bits);
        assert_eq!(categories(DscpMap::Ns3, &names), bits);
        let table = [
            BestEffort, Background, BestEffort, Video, Video, Video, Video, Voice, Voice, Voice, Voice,
            BestEffort,
        ];
        assert_eq!(categories(DscpMap::Rfc8325, &names), table);
    }

    #[test]
    fn three_bits_are_the_priority() {
        for number in 0..64 {
            assert_eq!(DscpMap::Linux.priority(Dscp::new(number)).number(), number >> 3);
        }
    }
}
