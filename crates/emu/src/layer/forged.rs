//! Segments that a layer below the TCP of Linux makes of those that it has seen: to the host as from its peer, and to
//! the peer as from the host.

use etherparse::{Ipv4Header, TcpHeader, TcpOptionElement};

/// A segment apart: its headers, and what it carries.
fn parts(bytes: &[u8]) -> Option<(Ipv4Header, TcpHeader, &[u8])> {
    let (ip, inside) = Ipv4Header::from_slice(bytes).ok()?;
    let (tcp, carried) = TcpHeader::from_slice(inside).ok()?;
    Some((ip, tcp, carried))
}

/// The datagram of these, with lengths and checksums that are right.
fn joined(mut ip: Ipv4Header, mut tcp: TcpHeader, carried: &[u8]) -> Option<Vec<u8>> {
    ip.set_payload_len(tcp.header_len() + carried.len()).ok()?;
    ip.header_checksum = ip.calc_header_checksum();
    tcp.checksum = tcp.calc_checksum_ipv4(&ip, carried).ok()?;
    Some([&ip.to_bytes()[..], &tcp.to_bytes(), carried].concat())
}

/// The segment of a peer with another acknowledgment and another window, and without blocks of SACK (RFC 2018): what
/// they said is about segments that the host does not know any more. What it carries stays, if `with_data`.
pub(crate) fn acknowledgment(of: &[u8], number: u32, window: u16, with_data: bool) -> Option<Vec<u8>> {
    let (ip, mut tcp, carried) = parts(of)?;
    (tcp.acknowledgment_number, tcp.window_size) = (number, window);
    (tcp.ack, tcp.ece, tcp.cwr) = (true, false, false);
    if !with_data {
        (tcp.psh, tcp.fin) = (false, false);
    }
    let kept: Vec<_> = tcp
        .options_iterator()
        .filter_map(Result::ok)
        .filter(|option| !matches!(option, TcpOptionElement::SelectiveAcknowledgement(..)))
        .collect();
    tcp.set_options(&kept).ok()?;
    joined(ip, tcp, if with_data { carried } else { &[] })
}

/// A segment with another window.
pub(crate) fn with_window(of: &[u8], window: u16) -> Option<Vec<u8>> {
    let (ip, mut tcp, carried) = parts(of)?;
    tcp.window_size = window;
    joined(ip, tcp, carried)
}

/// What a segment acknowledges said once more, behind its data, with another window if that is wanted. None of a SYN.
pub(crate) fn once_more(of: &[u8], window: Option<u16>) -> Option<Vec<u8>> {
    let (ip, mut tcp, carried) = parts(of).filter(|(_, tcp, _)| tcp.ack && !tcp.syn)?;
    let length = carried.len() as u32 + u32::from(tcp.fin); // a datagram has 16 bits for its length
    tcp.sequence_number = tcp.sequence_number.wrapping_add(length);
    (tcp.psh, tcp.fin) = (false, false);
    tcp.window_size = window.unwrap_or(tcp.window_size);
    joined(ip, tcp, &[])
}

/// A header without data just below the window of a sender, made of a segment of its own: the receiver must answer to
/// it (RFC 9293 §3.10.7.4).
pub(crate) fn probe(of: &[u8], first: u32) -> Option<Vec<u8>> {
    let (ip, mut tcp, _) = parts(of)?;
    tcp.sequence_number = first.wrapping_sub(1);
    (tcp.psh, tcp.fin) = (false, false);
    joined(ip, tcp, &[])
}

/// The end of a connection, as if the peer had sent it: of its last segment, and the last one of the host. The host
/// believes it only with the number that it expects (RFC 9293 §3.10.7.4).
pub(crate) fn reset(of: &[u8], own: &[u8]) -> Option<Vec<u8>> {
    let (ip, mut tcp, _) = parts(of)?;
    let (_, other, _) = parts(own).filter(|(_, tcp, _)| tcp.ack)?;
    tcp.sequence_number = other.acknowledgment_number;
    (tcp.rst, tcp.psh, tcp.fin, tcp.ece, tcp.cwr) = (true, false, false, false, false);
    joined(ip, tcp, &[])
}

/// A segment with the timestamps of a later one (RFC 7323): the receiver may have seen newer ones than its own
/// meanwhile, and would take it for one of an earlier connection (its section 5.3). Without timestamps it stays as it
/// is.
pub(crate) fn stamped(of: &[u8], later: &[u8]) -> Option<Vec<u8>> {
    let (ip, mut tcp, carried) = parts(of)?;
    let (_, other, _) = parts(later)?;
    let stamp = |option: &TcpOptionElement| matches!(option, TcpOptionElement::Timestamp(..));
    let newest = other.options_iterator().filter_map(Result::ok).find(stamp);
    let options: Vec<_> = tcp.options_iterator().filter_map(Result::ok).collect();
    let newer = |option| newest.clone().filter(|_| stamp(&option)).unwrap_or(option);
    tcp.set_options(&options.into_iter().map(newer).collect::<Vec<_>>()).ok()?;
    joined(ip, tcp, carried)
}

/// The window of a segment, as it stands in the header [scaled].
pub(crate) fn window(of: &[u8]) -> u16 {
    parts(of).map_or(0, |(_, tcp, _)| tcp.window_size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use etherparse::PacketBuilder;
    use proptest::prelude::*;

    fn segment(carried: &[u8]) -> Vec<u8> {
        let options = [
            TcpOptionElement::Timestamp(7, 9),
            TcpOptionElement::SelectiveAcknowledgement((5000, 6000), [None, None, None]),
        ];
        let builder = PacketBuilder::ipv4([10, 0, 0, 3], [10, 0, 0, 1], 64)
            .tcp(2000, 1000, 77, 500)
            .ack(4000)
            .psh()
            .options(&options)
            .expect("room");
        let mut bytes = Vec::new();
        builder.write(&mut bytes, carried).expect("memory");
        bytes
    }

    fn right(bytes: &[u8]) -> (Ipv4Header, TcpHeader, Vec<u8>) {
        let (ip, tcp, carried) = parts(bytes).expect("a segment");
        assert_eq!(ip.header_checksum, ip.calc_header_checksum());
        assert_eq!(Ok(tcp.checksum), tcp.calc_checksum_ipv4(&ip, carried).map_err(|_| ()));
        assert_eq!(ip.header_len() + usize::from(ip.payload_len().expect("a length")), bytes.len());
        (ip, tcp, carried.to_vec())
    }

    #[test]
    fn a_peer_acknowledges_all_and_closes_its_window() {
        let (_, tcp, carried) = right(&acknowledgment(&segment(&[]), 9000, 0, false).expect("a segment"));
        assert_eq!((tcp.acknowledgment_number, tcp.window_size, tcp.sequence_number), (9000, 0, 77));
        assert!(tcp.ack && !tcp.psh && carried.is_empty());
        let options: Vec<_> = tcp.options_iterator().filter_map(Result::ok).collect();
        assert_eq!(options, [TcpOptionElement::Timestamp(7, 9)]);
    }

    #[test]
    fn what_it_carries_is_kept_if_that_is_wanted() {
        let with = acknowledgment(&segment(&[1, 2, 3]), 9000, 0, true).expect("a segment");
        assert_eq!(right(&with).2, [1, 2, 3]);
        let without = acknowledgment(&segment(&[1, 2, 3]), 9000, 0, false).expect("a segment");
        assert!(right(&without).2.is_empty());
    }

    #[test]
    fn a_probe_is_just_below_the_window() {
        let (_, tcp, carried) = right(&probe(&segment(&[1; 100]), 0).expect("a segment"));
        assert_eq!((tcp.sequence_number, carried.len()), (u32::MAX, 0));
        assert_eq!(window(&segment(&[])), 500);
    }

    #[test]
    fn a_peer_resets_with_the_number_that_the_host_expects() {
        let own = segment(&[]); // acknowledges 4000
        let (_, tcp, carried) = right(&reset(&segment(&[1, 2]), &own).expect("a segment"));
        assert_eq!((tcp.sequence_number, tcp.rst, tcp.psh), (4000, true, false));
        assert!(carried.is_empty());
    }

    #[test]
    fn a_segment_takes_the_timestamps_of_a_later_one() {
        let options =
            |bytes: &[u8]| right(bytes).1.options_iterator().filter_map(Result::ok).collect::<Vec<_>>();
        let mut later = Vec::new();
        let builder = PacketBuilder::ipv4([10, 0, 0, 3], [10, 0, 0, 1], 64).tcp(2000, 1000, 99, 1);
        let builder = builder.options(&[TcpOptionElement::Timestamp(70, 90)]).expect("room");
        builder.write(&mut later, &[]).expect("memory");
        let of = segment(&[1, 2, 3]);
        let come = stamped(&of, &later).expect("a segment");
        assert_eq!(options(&come)[0], TcpOptionElement::Timestamp(70, 90));
        assert_eq!(options(&come)[1..], options(&of)[1..]);
        assert_eq!(right(&come).2, [1, 2, 3]);
        let mut plain = Vec::new();
        PacketBuilder::ipv4([10, 0, 0, 3], [10, 0, 0, 1], 64)
            .tcp(2000, 1000, 99, 1)
            .write(&mut plain, &[])
            .expect("memory");
        assert_eq!(stamped(&of, &plain), Some(of.clone()));
        assert_eq!(stamped(&plain, &later), Some(plain), "a connection without timestamps");
    }

    proptest! {
        #[test]
        fn any_bytes_are_taken(bytes in prop::collection::vec(any::<u8>(), 0..120)) {
            let _ = (acknowledgment(&bytes, 1, 2, true), probe(&bytes, 3), window(&bytes));
            let _ = (stamped(&bytes, &segment(&[])), stamped(&segment(&[]), &bytes));
        }
    }
}
