//! The connections of TCP that send along a flow, seen from outside: what each sends first and again, and when that is
//! acknowledged.

use std::collections::VecDeque;

use multihop_proto::tcp::connection::Counters;
use multihop_proto::units::{Dur, SimTime};

use crate::datagram::TcpSeen;
use crate::stream::Stream;

/// A position in a flow counts bytes of one connection in its low bits; the high bits number the connections.
const OFFSET: u32 = 40;

/// The position of a byte of a connection.
pub(crate) const fn position(connection: usize, offset: u64) -> u64 {
    ((connection as u64) << OFFSET) | (offset & ((1 << OFFSET) - 1))
}

/// The connection and the byte of a position.
pub(crate) const fn parts(position: u64) -> (usize, u64) {
    ((position >> OFFSET) as usize, position & ((1 << OFFSET) - 1))
}

/// The connections of one flow.
#[derive(Debug, Default)]
pub(crate) struct Sending {
    connections: Vec<Connection>,
    /// Segments with payload, and how many of them were sent before.
    pub(crate) counts: Counters,
    /// Sum and number of round-trip samples.
    pub(crate) rtt: (Dur, u64),
}

/// One connection.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) ports: (u16, u16),
    stream: Stream,
    /// First byte that has never been sent.
    pub(crate) next: u64,
    /// First byte that has not been acknowledged.
    pub(crate) acknowledged: u64,
    /// Segments under way: their ends, and when they were sent; none of what was sent twice (Karn's rule, RFC 6298 §3).
    waiting: VecDeque<(u64, Option<SimTime>)>,
}

/// A segment that has been placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Placed {
    /// Which connection.
    pub(crate) connection: usize,
    /// Its position in the flow.
    pub(crate) position: u64,
    /// Whether its bytes were sent before.
    pub(crate) again: bool,
}

impl Connection {
    fn new(seen: &TcpSeen) -> Self {
        let stream = Stream::of(seen);
        Self { ports: seen.ports, stream, next: 0, acknowledged: 0, waiting: VecDeque::new() }
    }
}

impl Sending {
    /// A segment leaves with so many bytes.
    pub(crate) fn send(&mut self, now: SimTime, seen: &TcpSeen, len: u32) -> Placed {
        let number = self.connection(seen);
        let connection = &mut self.connections[number];
        let offset = connection.stream.offset(seen.seq, connection.next).unwrap_or(0);
        let end = offset + u64::from(len);
        let again = len > 0 && offset < connection.next;
        if len > 0 {
            self.counts.sent += 1;
            self.counts.retransmissions += u64::from(again);
            if again {
                for (_, sent) in
                    connection.waiting.iter_mut().filter(|(other, _)| *other > offset && *other <= end)
                {
                    *sent = None;
                }
            } else {
                connection.waiting.push_back((end, Some(now)));
            }
            connection.next = connection.next.max(end);
        }
        Placed { connection: number, position: position(number, offset), again }
    }

    /// The other end acknowledges.
    pub(crate) fn acknowledge(&mut self, now: SimTime, seen: &TcpSeen) -> Option<usize> {
        let ports = (seen.ports.1, seen.ports.0);
        let number = self.connections.iter().rposition(|connection| connection.ports == ports)?;
        let connection = &mut self.connections[number];
        let ack = connection.stream.offset(seen.ack?, connection.acknowledged)?;
        let mut sample = None;
        while let Some(&(end, sent)) = connection.waiting.front().filter(|(end, _)| *end <= ack) {
            connection.acknowledged = connection.acknowledged.max(end);
            sample = sent;
            connection.waiting.pop_front();
        }
        if let Some(sent) = sample {
            self.rtt.0 += now.saturating_since(sent);
            self.rtt.1 += 1;
        }
        Some(number)
    }

    /// A connection by its number.
    pub(crate) fn get(&self, number: usize) -> Option<&Connection> {
        self.connections.get(number)
    }

    /// The connection that has sent most.
    pub(crate) fn busiest(&self) -> Option<usize> {
        (0..self.connections.len()).max_by_key(|&number| self.connections[number].next)
    }

    /// The number of the connection of a segment; a SYN with another number than the last one begins a new one.
    fn connection(&mut self, seen: &TcpSeen) -> usize {
        let known = self.connections.iter().rposition(|connection| connection.ports == seen.ports);
        match known.filter(|&number| !seen.syn || self.connections[number].stream == Stream::of(seen)) {
            Some(number) => number,
            None => {
                self.connections.push(Connection::new(seen));
                self.connections.len() - 1
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(seq: u32, syn: bool) -> TcpSeen {
        TcpSeen { ports: (1, 2), seq, ack: None, syn, ..TcpSeen::default() }
    }

    fn ack(number: u32) -> TcpSeen {
        TcpSeen { ports: (2, 1), seq: 0, ack: Some(number), ..TcpSeen::default() }
    }

    fn ms(ms: u64) -> SimTime {
        SimTime::from_ms(ms)
    }

    #[test]
    fn bytes_are_counted_from_the_syn_across_the_end_of_the_numbers() {
        let mut sending = Sending::default();
        let first = u32::MAX - 50;
        assert_eq!(sending.send(ms(0), &segment(first, true), 0).position, 0);
        assert_eq!(sending.send(ms(1), &segment(first + 1, false), 100).position, 0);
        let second = sending.send(ms(2), &segment((first + 1).wrapping_add(100), false), 100);
        assert_eq!((second.position, second.again), (100, false));
        let again = sending.send(ms(3), &segment(first + 1, false), 100);
        assert_eq!((again.position, again.again), (0, true));
        assert_eq!((sending.counts.sent, sending.counts.retransmissions), (3, 1));
    }

    #[test]
    fn round_trips_are_those_of_what_was_sent_once() {
        let mut sending = Sending::default();
        sending.send(ms(0), &segment(0, true), 0);
        sending.send(ms(1), &segment(1, false), 100);
        sending.send(ms(2), &segment(101, false), 100);
        sending.send(ms(3), &segment(1, false), 100);
        sending.acknowledge(ms(9), &ack(101));
        assert_eq!(sending.rtt, (Dur::ZERO, 0), "nobody knows which of the two this is for");
        sending.acknowledge(ms(10), &ack(201));
        assert_eq!(sending.rtt, (Dur::from_ms(8), 1));
        assert_eq!(sending.get(0).map(|connection| connection.acknowledged), Some(200));
        assert_eq!(sending.acknowledge(ms(11), &TcpSeen { ports: (7, 7), ..ack(1) }), None);
    }

    #[test]
    fn the_next_connection_has_positions_of_its_own() {
        let mut sending = Sending::default();
        sending.send(ms(0), &segment(0, true), 0);
        sending.send(ms(1), &segment(1, false), 10);
        sending.send(ms(2), &segment(90_000, true), 0);
        let placed = sending.send(ms(3), &segment(90_001, false), 10);
        assert_eq!(parts(placed.position), (1, 0));
        assert!(!placed.again);
    }
}
