//! Text form of every quantity: number, optional space, unit.

use super::decimal::{Decimal, NotWhole};
use std::fmt;

/// A text that is not the quantity expected; says what was expected and lists the units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuantityError(String);

impl fmt::Display for QuantityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for QuantityError {}

/// One unit: its name, and `factor × 10^power` of the base unit.
pub(super) struct Unit {
    pub(super) name: &'static str,
    pub(super) factor: u64,
    pub(super) power: i32,
    /// Used when printing; synonyms are only read.
    pub(super) printed: bool,
}

impl Unit {
    pub(super) const fn new(name: &'static str, power: i32) -> Self {
        Self { name, factor: 1, power, printed: true }
    }

    pub(super) const fn read_only(name: &'static str, factor: u64, power: i32) -> Self {
        Self { name, factor, power, printed: false }
    }
}

/// A kind of quantity, as people see it.
pub(super) struct Kind {
    /// With its article: `a time`.
    pub(super) noun: &'static str,
    /// A good example: `20 us`.
    pub(super) example: &'static str,
    /// The unit that a number without one most likely has: `s`.
    pub(super) usual: &'static str,
    /// First the base unit, then the others in the order in which ties are printed.
    pub(super) units: &'static [Unit],
    pub(super) signed: bool,
}

impl Kind {
    /// `expected a time with its unit, like "20 us"`.
    pub(super) fn expected(&self) -> String {
        format!("expected {} with its unit, like \"{}\"", self.noun, self.example)
    }

    /// The complaint about a number without a unit.
    pub(super) fn bare(&self, number: impl fmt::Display) -> String {
        let Self { noun, usual, .. } = self;
        format!("expected {noun} with its unit, like \"{number} {usual}\"; got the bare number {number}")
    }

    pub(super) fn error(&self, why: &str) -> QuantityError {
        let units: Vec<_> = self.units.iter().map(|unit| unit.name).collect();
        QuantityError(format!("{} (units: {}); {why}", self.expected(), units.join(", ")))
    }

    /// `time`: the noun without its article.
    pub(super) fn name(&self) -> &'static str {
        self.noun.split_once(' ').map_or(self.noun, |(_, name)| name)
    }

    /// Each unit, and its worth in seconds or in the base unit.
    pub(super) fn worths(&self) -> Vec<(&'static str, f64)> {
        let one = self.units.iter().find(|unit| unit.name == "s").map_or(0, |second| second.power);
        let worth = |unit: &Unit| {
            let digits = Decimal::from_u64(unit.factor).shifted(unit.power - one);
            (unit.name, digits.to_f64())
        };
        self.units.iter().filter(|unit| unit.name != "dBm").map(worth).collect()
    }

    /// Number and unit of `text`.
    pub(super) fn split<'a>(&self, text: &'a str) -> Result<(Decimal, &'a str), QuantityError> {
        let trimmed = text.trim();
        let (number, unit) = Decimal::split(trimmed)
            .ok_or_else(|| self.error(&format!("`{text}` does not begin with a number")))?;
        let unit = unit.trim_start();
        if unit.is_empty() {
            return Err(self.error(&format!("`{text}` has no unit: write `{trimmed} {}`?", self.usual)));
        }
        if number.negative && !self.signed {
            return Err(self.error(&format!("`{text}` is negative")));
        }
        Ok((number, unit))
    }

    /// `text` in base units.
    pub(super) fn parse(&self, text: &str) -> Result<Decimal, QuantityError> {
        let (number, name) = self.split(text)?;
        let unit = self
            .units
            .iter()
            .find(|unit| unit.name == name)
            .ok_or_else(|| self.error(&format!("`{name}` is not one of them")))?;
        number
            .shifted(unit.power)
            .times(unit.factor)
            .ok_or_else(|| self.error(&format!("`{text}` is too large")))
    }

    /// `text` as a whole number of base units.
    pub(super) fn parse_whole(&self, text: &str) -> Result<u64, QuantityError> {
        self.parse(text)?.to_u64().map_err(|why| match why {
            NotWhole::Fraction => {
                self.error(&format!("`{text}` is not a whole number of {}", self.units[0].name))
            }
            NotWhole::TooLarge => self.error(&format!("`{text}` is too large")),
        })
    }

    /// `text` as a finite number of base units.
    pub(super) fn parse_f64(&self, text: &str) -> Result<f64, QuantityError> {
        let value = self.parse(text)?.to_f64();
        if value.is_finite() { Ok(value) } else { Err(self.error(&format!("`{text}` is too large"))) }
    }

    /// The shortest exact form of `value` base units; an exponent only where every unit needs one.
    pub(super) fn print(&self, value: Decimal, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let forms = self.units.iter().filter(|unit| unit.printed).map(|unit| {
            let number = value.shifted(-unit.power).shortest();
            (number.contains('e'), number.len() + unit.name.len(), format!("{number} {}", unit.name))
        });
        // `min_by_key` keeps the first of equals, so the table's order decides ties.
        let best = forms.min_by_key(|&(exponent, length, _)| (exponent, length));
        f.pad(&best.map(|(_, _, text)| text).unwrap_or_default())
    }
}

/// Gives a quantity its text form: `Display`, `FromStr`, serde as a string with unit, JSON schema.
/// Needs `const KIND: Kind`, `fn from_text(&str) -> Result<Self, QuantityError>`, `fn decimal(self) -> Decimal`.
macro_rules! text_form {
    ($type:ident) => {
        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                $type::KIND.print(self.decimal(), f)
            }
        }

        impl std::str::FromStr for $type {
            type Err = $crate::units::QuantityError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Self::from_text(text)
            }
        }

        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Visitor;
                impl serde::de::Visitor<'_> for Visitor {
                    type Value = $type;

                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        write!(f, "{} with its unit, like \"{}\"", $type::KIND.noun, $type::KIND.example)
                    }

                    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<$type, E> {
                        $type::from_text(text).map_err(E::custom)
                    }

                    fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<$type, E> {
                        Err(E::custom($type::KIND.bare(number)))
                    }

                    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<$type, E> {
                        Err(E::custom($type::KIND.bare(number)))
                    }

                    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<$type, E> {
                        Err(E::custom($type::KIND.bare(number)))
                    }
                }
                deserializer.deserialize_any(Visitor)
            }
        }

        impl schemars::JsonSchema for $type {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($type).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let units: Vec<_> = $type::KIND.units.iter().map(|unit| unit.name).collect();
                let sign = if $type::KIND.signed { "[-+]?" } else { "\\+?" };
                schemars::json_schema!({
                    "type": "string",
                    "description": format!("{} with its unit", $type::KIND.noun),
                    "pattern": format!("^ *{sign}[0-9.]+([eE][-+]?[0-9]+)? *({}) *$", units.join("|")),
                    "examples": [$type::KIND.example],
                })
            }
        }
    };
}
pub(super) use text_form;
