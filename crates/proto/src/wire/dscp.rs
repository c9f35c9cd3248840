//! Differentiated services codepoints: the six bits of the IP header that say how a packet is to be treated (RFC 2474).

use std::fmt;
use std::str::FromStr;

/// A codepoint, by its name or its number.
///
/// ```
/// use multihop_proto::wire::Dscp;
/// assert_eq!("EF".parse(), Ok(Dscp::EF));
/// assert_eq!("46".parse(), Ok(Dscp::EF));
/// assert_eq!(Dscp::EF.to_string(), "EF");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Dscp(u8);

/// Codepoints with a name: RFC 2474 (CS), RFC 2597 (AF), RFC 3246 (EF), RFC 5865 (VA), RFC 8622 (LE).
const NAMES: [(&str, u8); 23] = [
    ("CS0", 0),
    ("LE", 1),
    ("CS1", 8),
    ("AF11", 10),
    ("AF12", 12),
    ("AF13", 14),
    ("CS2", 16),
    ("AF21", 18),
    ("AF22", 20),
    ("AF23", 22),
    ("CS3", 24),
    ("AF31", 26),
    ("AF32", 28),
    ("AF33", 30),
    ("CS4", 32),
    ("AF41", 34),
    ("AF42", 36),
    ("AF43", 38),
    ("CS5", 40),
    ("VA", 44),
    ("EF", 46),
    ("CS6", 48),
    ("CS7", 56),
];

/// What is expected of its text.
const RULE: &str = "a DSCP by name, like \"EF\", \"AF41\", \"CS6\" or \"VA\", or a number from 0 to 63";

impl Dscp {
    /// Default forwarding: what a packet has that nothing was said of.
    pub const DEFAULT: Self = Self(0);
    /// Expedited forwarding: voice (RFC 3246).
    pub const EF: Self = Self(46);
    /// Class selector 6: network control, such as routing (RFC 4594 §3.2).
    pub const CS6: Self = Self(48);

    /// The codepoint of this number, its low six bits.
    #[must_use]
    pub const fn new(number: u8) -> Self {
        Self(number & 63)
    }

    /// The one in the second byte of an IPv4 header, beside the ECN field.
    #[must_use]
    pub const fn of_byte(byte: u8) -> Self {
        Self(byte >> 2)
    }

    /// Its number, 0 to 63.
    #[must_use]
    pub const fn number(self) -> u8 {
        self.0
    }

    /// Its class selector, 0 to 7: what the precedence of IP was (RFC 2474 §4.2.2).
    #[must_use]
    pub const fn precedence(self) -> u8 {
        self.0 >> 3
    }
}

impl fmt::Display for Dscp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match NAMES.iter().find(|&&(_, number)| number == self.0) {
            Some((name, _)) => f.pad(name),
            None => self.0.fmt(f),
        }
    }
}

impl FromStr for Dscp {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let named = NAMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(text.trim()));
        let number = named.map(|&(_, number)| number).or_else(|| text.trim().parse().ok());
        let known = number.filter(|&number| number < 64).map(Self);
        known.ok_or_else(|| format!("expected {RULE}; `{text}` is none"))
    }
}

impl serde::Serialize for Dscp {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for Dscp {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = Dscp;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(RULE)
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Dscp, E> {
                text.parse().map_err(E::custom)
            }

            fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<Dscp, E> {
                self.visit_str(&number.to_string())
            }

            fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Dscp, E> {
                self.visit_str(&number.to_string())
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

impl schemars::JsonSchema for Dscp {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Dscp".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let names: Vec<_> = NAMES.iter().map(|(name, _)| *name).collect();
        schemars::json_schema!({
            "type": ["string", "integer"],
            "description": "a DSCP",
            "pattern": format!("^ *({}|[0-9]|[1-5][0-9]|6[0-3]) *$", names.join("|")),
            "minimum": 0,
            "maximum": 63,
            "examples": ["EF"],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_mean_the_same() {
        for number in 0..64 {
            let dscp = Dscp::new(number);
            assert_eq!(dscp.to_string().parse(), Ok(dscp));
            assert_eq!(number.to_string().parse(), Ok(dscp));
            assert_eq!(Dscp::of_byte(number << 2 | 3), dscp, "beside the ECN field");
        }
        assert_eq!(("ef".parse(), " AF41".parse()), (Ok(Dscp::EF), Ok(Dscp(34))));
        assert_eq!((Dscp::EF.precedence(), Dscp::CS6.precedence()), (5, 6));
        for text in ["64", "-1", "EF1", "", "AF44", "300", "4.5"] {
            assert!(text.parse::<Dscp>().is_err(), "{text}");
        }
    }
}
