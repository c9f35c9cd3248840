//! The rectangle that moving nodes stay in.

use crate::air::Position;
use crate::air::config::{FARTHEST, length};
use multihop_proto::units::range::{Checked, within};
use multihop_proto::units::{Metres, Rng};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A rectangle, as a scenario says it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct AreaConfig {
    /// Its left side.
    #[serde(default)]
    pub x: Metres,
    /// Its lower side.
    #[serde(default)]
    pub y: Metres,
    /// Extent from left to right.
    pub width: Metres,
    /// Extent from bottom to top.
    pub height: Metres,
}

impl AreaConfig {
    /// Whether every value can be used.
    ///
    /// # Errors
    /// The first that cannot.
    pub fn check(&self) -> Checked {
        within("x", self.x, FARTHEST * -1.0, FARTHEST)?;
        within("y", self.y, FARTHEST * -1.0, FARTHEST)?;
        length("width", self.width)?;
        length("height", self.height)
    }

    /// The rectangle.
    #[must_use]
    pub fn area(&self) -> Area {
        let (left, bottom) = (self.x.get(), self.y.get());
        Area { left, bottom, right: left + self.width.get(), top: bottom + self.height.get() }
    }
}

/// A rectangle \[m\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    /// Its least x.
    pub left: f64,
    /// Its least y.
    pub bottom: f64,
    /// Its greatest x.
    pub right: f64,
    /// Its greatest y.
    pub top: f64,
}

impl Area {
    /// Extent from left to right \[m\].
    #[must_use]
    pub fn width(&self) -> f64 {
        self.right - self.left
    }

    /// Extent from bottom to top \[m\].
    #[must_use]
    pub fn height(&self) -> f64 {
        self.top - self.bottom
    }

    /// Whether a place is in it, its sides among it.
    #[must_use]
    pub fn contains(&self, place: &Position) -> bool {
        (self.left..=self.right).contains(&place.x) && (self.bottom..=self.top).contains(&place.y)
    }

    /// A place in it, all alike.
    pub(super) fn draw(&self, rng: &mut Rng) -> Position {
        let (x, y) = (rng.f64(), rng.f64());
        Position { x: self.left + self.width() * x, y: self.bottom + self.height() * y }
    }
}
