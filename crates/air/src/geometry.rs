//! Places in the plane.

/// A place in the plane \[m\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Position {
    /// From left to right.
    pub x: f64,
    /// From bottom to top.
    pub y: f64,
}

impl Position {
    /// Distance \[m\].
    #[must_use]
    pub fn distance(&self, other: &Self) -> f64 {
        libm::sqrt(self.square(other))
    }

    /// Square of the distance \[m²\].
    #[inline]
    pub(super) fn square(&self, other: &Self) -> f64 {
        let (dx, dy) = (self.x - other.x, self.y - other.y);
        dx * dx + dy * dy
    }
}
