//! The receiving side of a flow: it notes which bytes of each connection have arrived.

use multihop_proto::contract::Arrival;
use multihop_proto::wire::RangeSet;

use crate::sending::parts;

/// The bytes that have arrived, connection by connection.
#[derive(Debug, Default)]
pub(crate) struct Receiving(Vec<RangeSet>);

impl Receiving {
    /// A segment with `len` bytes arrives.
    pub(crate) fn take(&mut self, position: u64, len: u32) -> Arrival {
        if len == 0 {
            return Arrival::Control;
        }
        let (connection, offset) = parts(position);
        if self.0.len() <= connection {
            self.0.resize_with(connection + 1, RangeSet::default);
        }
        let come = &mut self.0[connection];
        let before = in_order(come);
        if !come.insert(offset, offset + u64::from(len)) {
            return Arrival::Duplicate;
        }
        Arrival::New { readable: in_order(come) - before }
    }

    /// Whether what stands at this position has arrived.
    pub(crate) fn has(&self, position: u64) -> bool {
        let (connection, offset) = parts(position);
        self.0.get(connection).is_some_and(|come| come.contains(offset))
    }
}

/// How many bytes have arrived without a hole.
fn in_order(come: &RangeSet) -> u64 {
    come.iter().next().filter(|&(start, _)| start == 0).map_or(0, |(_, end)| end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sending::position;

    #[test]
    fn bytes_behind_a_hole_are_read_when_it_is_filled() {
        let mut receiving = Receiving::default();
        assert_eq!(receiving.take(0, 100), Arrival::New { readable: 100 });
        assert_eq!(receiving.take(200, 100), Arrival::New { readable: 0 });
        assert_eq!(receiving.take(200, 100), Arrival::Duplicate);
        assert!(receiving.has(250) && !receiving.has(150));
        assert_eq!(receiving.take(100, 100), Arrival::New { readable: 200 });
        assert_eq!(receiving.take(300, 0), Arrival::Control);
        assert_eq!(receiving.take(position(1, 0), 10), Arrival::New { readable: 10 });
        assert!(!receiving.has(position(2, 0)));
    }
}
