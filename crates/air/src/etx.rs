//! The expected number of transmissions over a link (De Couto, Aguayo, Bicket & Morris, MobiCom 2003).

use std::collections::HashMap;

use multihop_proto::units::NodeId;

/// What counts as one transmission: sums are of whole numbers, so that their order does not matter.
pub const ETX: u64 = 1_000_000;
/// What a link that never delivers counts as: it is taken where there is no other one.
const NEVER: u64 = ETX * 1_000_000;

/// The ETX of each link that loses frames or acknowledgements, in millionths: 1 / (forward delivery ratio * reverse
/// delivery ratio), from the probability that a frame is lost on the way from one node to another.
pub fn etx(losses: &[(NodeId, NodeId, f64)]) -> HashMap<(NodeId, NodeId), u64> {
    let loss: HashMap<_, _> = losses.iter().map(|&(from, to, loss)| ((from, to), loss)).collect();
    let delivered = |ends| 1.0 - loss.get(&ends).copied().unwrap_or(0.0);
    let both = losses.iter().flat_map(|&(from, to, _)| [(from, to), (to, from)]);
    both.map(|(from, to)| {
        let transmissions = libm::round(ETX as f64 / (delivered((from, to)) * delivered((to, from))));
        ((from, to), if transmissions < NEVER as f64 { transmissions as u64 } else { NEVER })
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::{ETX, NEVER, etx};
    use multihop_proto::units::NodeId;

    #[test]
    fn it_counts_frames_and_acknowledgements() {
        let (a, b, c) = (NodeId(0), NodeId(1), NodeId(2));
        let found = etx(&[(a, b, 0.5), (b, a, 0.2), (b, c, 0.75), (a, c, 1.0)]);
        assert_eq!((found[&(a, b)], found[&(b, a)]), (2_500_000, 2_500_000), "1 / (0.5 * 0.8)");
        assert_eq!((found[&(b, c)], found[&(c, b)]), (4 * ETX, 4 * ETX), "one direction loses nothing");
        assert_eq!((found[&(a, c)], found[&(c, a)]), (NEVER, NEVER));
    }
}
