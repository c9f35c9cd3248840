//! Which explicit congestion notification a TCP has: none, that of RFC 3168, or accurate ECN (RFC 9768).

use std::fmt;

/// `false`, `true` or `"accurate"`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum EcnMode {
    /// None.
    #[default]
    Off,
    /// One echo for all marks until the sender answers (RFC 3168).
    Classic,
    /// Counters of all marks (RFC 9768); with an end that does not know them, that of RFC 3168.
    Accurate,
}

/// Its name in a scenario.
const ACCURATE: &str = "accurate";
/// What is expected of its text.
const RULE: &str = "true, false or \"accurate\"";

impl EcnMode {
    /// Whether there is any.
    #[must_use]
    pub const fn is_on(self) -> bool {
        !matches!(self, Self::Off)
    }
}

impl From<bool> for EcnMode {
    fn from(on: bool) -> Self {
        if on { Self::Classic } else { Self::Off }
    }
}

impl fmt::Display for EcnMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Off => false.fmt(f),
            Self::Classic => true.fmt(f),
            Self::Accurate => f.pad("\"accurate\""),
        }
    }
}

impl serde::Serialize for EcnMode {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Off | Self::Classic => serializer.serialize_bool(self.is_on()),
            Self::Accurate => serializer.serialize_str(ACCURATE),
        }
    }
}

impl<'de> serde::Deserialize<'de> for EcnMode {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = EcnMode;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(RULE)
            }

            fn visit_bool<E: serde::de::Error>(self, on: bool) -> Result<EcnMode, E> {
                Ok(on.into())
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<EcnMode, E> {
                match text {
                    ACCURATE => Ok(EcnMode::Accurate),
                    _ => Err(E::custom(format_args!("expected {RULE}; `{text}` is none"))),
                }
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

impl schemars::JsonSchema for EcnMode {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "EcnMode".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "oneOf": [
                { "description": "None.", "const": false },
                { "description": "One echo for all marks until the sender answers (RFC 3168).", "const": true },
                {
                    "description": "Counters of all marks (RFC 9768); with an end that does not know them, that of RFC 3168.",
                    "const": ACCURATE,
                },
            ],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_switch_or_a_word() {
        for (mode, text) in
            [(EcnMode::Off, "false"), (EcnMode::Classic, "true"), (EcnMode::Accurate, "\"accurate\"")]
        {
            assert_eq!(serde_json::from_str::<EcnMode>(text).ok(), Some(mode));
            assert_eq!(serde_json::to_string(&mode).ok().as_deref(), Some(text));
            assert_eq!(mode.to_string(), text);
        }
        for text in ["\"exact\"", "1", "null"] {
            assert!(serde_json::from_str::<EcnMode>(text).is_err(), "{text}");
        }
    }
}
