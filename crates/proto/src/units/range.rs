//! Values that the types allow and physics, protocols or sense forbid: each is refused beside the configuration that
//! has it. The reader of the file adds where it stands.

use std::fmt::Display;

use super::{Bitrate, Dur};

/// 115 days; keeps every sum of times far from overflow.
pub const LONGEST: Dur = Dur::from_secs(10_000_000);
/// Largest counts of packets, segments and the like.
pub const MOST: u32 = 1_000_000;

/// A value that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// Its key, dotted, within the section.
    pub key: String,
    /// The value, or what is wrong with it.
    pub what: What,
    /// What it must be, or what to do.
    pub help: String,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// The value is this, outside of its range.
    Is(String),
    /// This, in a sentence.
    Says(String),
}

/// Whether a value, or all of a section, can be used.
pub type Checked = Result<(), Wrong>;

impl Wrong {
    /// Something that is wrong in a way of its own.
    #[must_use]
    pub fn says(key: impl Into<String>, what: impl Into<String>, help: impl Into<String>) -> Self {
        Self { key: key.into(), what: What::Says(what.into()), help: help.into() }
    }

    /// The same with its key as a file has it: `short_retry_limit` is written `short-retry-limit`.
    #[must_use]
    pub fn as_written(mut self) -> Self {
        self.key = self.key.replace('_', "-");
        self
    }

    /// The same within a table or a list element of the section.
    #[must_use]
    pub fn inside(mut self, place: &str) -> Self {
        self.key = format!("{place}.{}", self.key);
        self
    }
}

/// A table of keys that says whether its values can be used.
pub trait Check {
    /// Whether every value can be used.
    ///
    /// # Errors
    /// The first that cannot.
    fn check(&self) -> Checked;
}

/// The value must lie within `least..=most`.
///
/// # Errors
/// If it does not.
pub fn within<T: PartialOrd + Display>(key: &str, value: T, least: T, most: T) -> Checked {
    let rule = format_args!("lie between {least} and {most}");
    must(value >= least && value <= most, key, &value, rule)
}

/// The value must keep a rule, told as what follows `it must`.
///
/// # Errors
/// If it does not.
pub fn must(met: bool, key: &str, value: impl Display, rule: impl Display) -> Checked {
    if met {
        return Ok(());
    }
    Err(Wrong { key: key.to_owned(), what: What::Is(value.to_string()), help: format!("it must {rule}") })
}

/// The value must be a probability.
///
/// # Errors
/// If it is none.
pub fn probability(key: &str, value: f64) -> Checked {
    must((0.0..=1.0).contains(&value), key, value, "be a probability, between 0 and 1")
}

/// The value must be a span of time that is not nothing.
///
/// # Errors
/// If it is none.
pub fn span(key: &str, value: Dur) -> Checked {
    within(key, value, Dur::from_ns(1), LONGEST)
}

/// The value must be how often something happens, or 0 where it does not: not so often that nothing else gets done.
///
/// # Errors
/// If it is none.
pub fn period(key: &str, value: Dur) -> Checked {
    let (least, most) = (Dur::from_ms(1), LONGEST);
    let rule = format_args!("be 0 or lie between {least} and {most}");
    must(value == Dur::ZERO || (value >= least && value <= most), key, value, rule)
}

/// The value must be a rate that something can be sent at.
///
/// # Errors
/// If it is none.
pub fn rate(key: &str, value: Bitrate) -> Checked {
    within(key, value, Bitrate::from_bps(1), Bitrate::from_mbps(1_000_000))
}
