//! How far frames are decoded, and which places form one network at such a range.

use super::{AirConfig, Position, path_loss};
use std::collections::HashMap;

/// Largest distance at which a lone frame is decoded \[m\]; at most 10 000 km.
pub fn receive_range(air: &AirConfig) -> f64 {
    // Power falls with distance under every model, so halving finds the place where it meets the threshold
    // whatever the model is.
    let (mut near, mut far) = (0.0, 1e7);
    for _ in 0..80 {
        let middle = f64::midpoint(near, far);
        if path_loss(air, middle) >= air.receive_threshold.get() {
            near = middle;
        } else {
            far = middle;
        }
    }
    near
}

/// For each place the number of its connected part, parts counted from 0 in the order of their first places.
pub fn parts(places: &[Position], range: f64) -> Vec<usize> {
    let cells = cells(places, range);
    let mut part = vec![usize::MAX; places.len()];
    let mut found = 0;
    let mut open = Vec::new();
    for first in 0..places.len() {
        if part[first] != usize::MAX {
            continue;
        }
        part[first] = found;
        open.push(first);
        while let Some(here) = open.pop() {
            let (x, y) = cell(&places[here], range);
            for near in (-1..=1).flat_map(|dx| (-1..=1).map(move |dy| (x + dx, y + dy))) {
                for &there in cells.get(&near).map(Vec::as_slice).unwrap_or_default() {
                    if part[there] == usize::MAX && distance(&places[here], &places[there]) <= range {
                        part[there] = found;
                        open.push(there);
                    }
                }
            }
        }
        found += 1;
    }
    part
}

/// \[m\]
fn distance(one: &Position, other: &Position) -> f64 {
    libm::hypot(one.x - other.x, one.y - other.y)
}

fn cells(places: &[Position], range: f64) -> HashMap<(i64, i64), Vec<usize>> {
    let mut cells: HashMap<_, Vec<usize>> = HashMap::new();
    for (index, place) in places.iter().enumerate() {
        cells.entry(cell(place, range)).or_default().push(index);
    }
    cells
}

/// The square of side `range` that a place lies in. Coordinates and range are bounded by validation, so the
/// quotient fits.
fn cell(place: &Position, range: f64) -> (i64, i64) {
    (libm::floor(place.x / range) as i64, libm::floor(place.y / range) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Propagation;
    use multihop_proto::units::Metres;

    #[test]
    fn the_usual_card_reaches_250_metres() {
        let range = receive_range(&AirConfig::default());
        assert!((range - 250.0).abs() < 0.02, "{range}");
    }

    #[test]
    fn free_space_reaches_further() {
        let air = AirConfig { propagation: Propagation::FreeSpace, ..AirConfig::default() };
        assert!((receive_range(&air) - 725.3).abs() < 1.0, "{}", receive_range(&air));
    }

    #[test]
    fn disks_reach_as_far_as_they_say() {
        let air =
            AirConfig { propagation: Propagation::Disk, range: Metres::new(80.0), ..AirConfig::default() };
        assert!((receive_range(&air) - 80.0).abs() < 1e-6, "{}", receive_range(&air));
    }

    #[test]
    fn parts_are_what_is_in_reach_over_any_number_of_hops() {
        let at = |x: f64| Position { x, y: 0.0 };
        assert_eq!(parts(&[at(0.0), at(-200.0), at(700.0), at(900.0), at(200.0)], 250.0), [0, 0, 1, 1, 0]);
    }
}
