//! The three ways in which a chain of hidden terminals loses its frames, slot by slot (Hamadani & Rakocevic, section
//! IV, figures 1 to 3): the whole MAC over the air, told by the trace of what was sent, received and lost.

use crate::traced::{Sent, Trace, chain, flow, us};
use multihop_proto::units::{Dur, SimTime};
use multihop_proto::wire::{DropReason, FrameKind, GiveUp, PacketKind};

const SLOT: Dur = us(20);
const SIFS: Dur = us(10);
const DIFS: Dur = us(50);
/// On the air: preamble, and 20, 14 and 14 bytes at 1 Mb/s.
const RTS: Dur = us(352);
const CTS: Dur = us(304);
const ACK: Dur = us(304);
/// Preamble, and 1460 bytes of payload, 40 of headers and 36 of the MAC at 2 Mb/s; without the payload: a TCP ACK.
const SEGMENT: Dur = us(6336);
const TCP_ACK: Dur = us(496);
/// From the end of a frame to when its station takes it for lost: SIFS, the response, a slot.
const TIMEOUT: Dur = us(334);
/// From the beginning of a data frame's RTS to that of the data frame.
const HANDSHAKE: Dur = us(352 + 10 + 304 + 10);

/// The slots of back-off between an attempt that failed and the next, on a medium that is idle all the while.
#[track_caller]
fn backoff(failed: &Sent, next: &Sent) -> u64 {
    let slots = (next.begins - failed.ends - TIMEOUT - DIFS).as_ns();
    assert_eq!(slots % SLOT.as_ns(), 0, "{failed:?}, then {next:?}");
    slots / SLOT.as_ns()
}

/// Figure 1: D sends to E without end, and C, which hears D, receives none of B's RTS. B gives its segment up.
#[test]
fn an_rts_dies_again_and_again_at_a_receiver_that_hears_another_sender() {
    let case =
        chain(3, "max-window = 4", &[flow("D", "E", "bulk", "1 s"), flow("B", "C", "segment", "1.5 s")]);
    // B's first seven RTS all die in some of the runs; in the others C answers one between two of D's frames.
    let (trace, rts) = (1..=100)
        .find_map(|run| {
            let trace = Trace::of(&case, run);
            let rts: Vec<Sent> =
                trace.frames(FrameKind::Rts, "B", "C").into_iter().take(7).cloned().collect();
            let all_die = rts.len() == 7 && rts.iter().all(|rts| !rts.received);
            all_die.then_some((trace, rts))
        })
        .expect("a run in which all seven die");

    assert_eq!(rts[0].begins, SimTime::ZERO + Dur::from_ms(1500), "the first goes at once: B hears nobody");
    let slots: Vec<u64> = rts.windows(2).map(|pair| backoff(&pair[0], &pair[1])).collect();
    let windows = [63, 127, 255, 511, 1023, 1023];
    assert!(slots.iter().zip(windows).all(|(&slots, window)| slots <= window), "{slots:?}");
    assert!(slots[4..].iter().any(|&slots| slots > 255), "the window has widened: {slots:?}");
    let mut data = 0;
    for rts in &rts {
        let met = trace.over(rts, &["D"]);
        assert!(!met.is_empty(), "{rts:?} met nothing of D, which alone disturbs C");
        assert!(
            trace.over(rts, &["A", "B", "C"]) == [rts],
            "the others whom C hears, and C itself, are silent"
        );
        data += usize::from(met.iter().any(|met| met.kind == FrameKind::Data && met.to == "E"));
    }
    assert!(data >= 4, "most die in the data frames, not in what goes before or after them: {data} of 7");
    // Whatever D was sending then, E received: B is out of E's reach, as C is.
    let during = |sent: &&Sent| sent.begins >= rts[0].begins && sent.ends <= rts[6].ends;
    let of_d = trace.frames(FrameKind::Data, "D", "E").into_iter().filter(during);
    assert!(of_d.clone().count() >= 4 && of_d.clone().all(|sent| sent.received));

    let lost: Vec<_> = trace.dropped.iter().filter(|lost| lost.node == "B").collect();
    assert_eq!(lost[0].at, rts[6].ends + TIMEOUT);
    assert_eq!((lost[0].kind, lost[0].reason), (PacketKind::TcpData, DropReason::RetryLimitRts));
    assert_eq!(lost[0].why, Some(GiveUp::Contention));
    let sent = trace.frames(FrameKind::Data, "B", "C").into_iter().filter(|sent| sent.begins < lost[0].at);
    assert_eq!(sent.count(), 0, "the segment itself was never on the air");
}

/// Figure 2: C acknowledges B's segment to B. D hears that too, just while E, which hears neither, sends it a TCP ACK.
#[test]
fn a_tcp_ack_dies_in_the_acknowledgement_of_a_neighbours_exchange() {
    // E keeps its ACK back for 20 ms, so that it goes 0.1 ms before C's.
    let delayed = "ack-every = 2\nack-delay = \"20 ms\"";
    let flows = [flow("D", "E", "segment", "1 s"), flow("B", "C", "segment", "1.02009 s")];
    let trace = Trace::of(&chain(2, delayed, &flows), 1);

    let segment = trace.frames(FrameKind::Data, "D", "E")[0];
    assert_eq!(segment.begins, SimTime::from_secs(1) + HANDSHAKE);
    assert_eq!(segment.ends - segment.begins, SEGMENT);
    let tries = trace.frames(FrameKind::Data, "E", "D");
    let [first, second] = tries[..] else { panic!("{tries:?}") };
    assert_eq!(first.begins, segment.ends + Dur::from_ms(20), "E senses an idle medium and sends at once");
    assert_eq!((first.carries, first.ends - first.begins), (Some(PacketKind::TcpAck), TCP_ACK));
    assert!(trace.frames(FrameKind::Rts, "E", "D").is_empty(), "256 bytes and less go without RTS");

    let theirs = trace.frames(FrameKind::Data, "B", "C")[0];
    let acknowledged = trace.frames(FrameKind::Ack, "C", "B")[0];
    assert_eq!(acknowledged.begins, theirs.ends + SIFS);
    assert_eq!(acknowledged.ends - acknowledged.begins, ACK);
    assert_eq!(acknowledged.begins - first.begins, us(100));
    assert!(acknowledged.received && !acknowledged.overheard.contains(&"D".to_owned()));
    assert!(!first.received, "both were lost at D");
    let exchange = trace.sent.iter().filter(|sent| ["B", "C"].contains(&&*sent.from));
    assert!(
        exchange.clone().count() > 4
            && exchange.clone().all(|sent| !sent.overheard.contains(&"E".to_owned()))
    );

    let slots = backoff(first, second);
    assert!(slots <= 63 && second.received, "{slots} slots");
    assert!(trace.dropped.is_empty());
}

/// Figure 3: F has to acknowledge G's TCP ACK although E's CTS has told it to be silent. The data frame that D sends to
/// E does not survive, in spite of its RTS and CTS.
#[test]
fn a_data_frame_dies_in_an_acknowledgement_that_no_reservation_forbids() {
    let delayed = "ack-every = 2\nack-delay = \"20 ms\"";
    // G's ACK goes 3 ms after D's RTS: 20 ms after the segment that F sends it before.
    let flows = [flow("D", "E", "segment", "1 s"), flow("F", "G", "segment", "0.975988 s")];
    let trace = Trace::of(&chain(2, delayed, &flows), 1);

    let at = SimTime::from_secs(1);
    let [rts, cts] = [(FrameKind::Rts, "D", "E"), (FrameKind::Cts, "E", "D")]
        .map(|(kind, from, to)| trace.frames(kind, from, to)[0].clone());
    assert_eq!((rts.begins, rts.ends - rts.begins), (at, RTS));
    assert_eq!((cts.begins, cts.ends - cts.begins), (rts.ends + SIFS, CTS));
    let tries = trace.frames(FrameKind::Data, "D", "E");
    let [first, second] = tries[..] else { panic!("{tries:?}") };
    assert_eq!((first.begins, first.ends - first.begins), (cts.ends + SIFS, SEGMENT));

    // F knows of it: the CTS reserves the medium up to the end of E's acknowledgement.
    assert!(cts.overheard.contains(&"F".to_owned()));
    assert_eq!(cts.ends + cts.reserves, first.ends + SIFS + ACK);
    let from_g = trace.frames(FrameKind::Data, "G", "F")[0];
    assert_eq!((from_g.begins, from_g.carries), (at + Dur::from_ms(3), Some(PacketKind::TcpAck)));
    assert!(from_g.received);
    let forced = trace.frames(FrameKind::Ack, "F", "G")[0];
    assert_eq!(forced.begins, from_g.ends + SIFS);
    assert!(forced.ends < cts.ends + cts.reserves, "within the reservation");
    assert!(forced.begins > first.begins && forced.ends < first.ends, "and within the data frame");
    let of_f = trace.sent.iter().filter(|sent| sent.from == "F" && sent.begins > cts.ends);
    assert_eq!(of_f.filter(|sent| sent.begins < first.ends).count(), 1, "nothing else of F's");

    assert!(rts.received && cts.received && !first.received);
    let again = trace.frames(FrameKind::Rts, "D", "E")[1];
    let slots = backoff(first, again);
    assert!(slots <= 63, "{slots} slots");
    assert!(second.received && trace.dropped.is_empty());
}

/// What destroyed a frame: the kind of frame that met it at its addressee, from a station there that its sender cannot
/// hear.
fn died_in(trace: &Trace, frame: &Sent, kind: FrameKind) -> bool {
    let hidden: Vec<&str> =
        heard_at(&frame.to).filter(|name| !heard_at(&frame.from).any(|near| near == *name)).collect();
    trace.over(frame, &hidden).iter().any(|met| met.kind == kind)
}

/// A node of the chain and its neighbours.
fn heard_at(name: &str) -> impl Iterator<Item = &'static str> {
    const NAMES: [&str; 7] = ["A", "B", "C", "D", "E", "F", "G"];
    let at = NAMES.iter().position(|&known| known == name).expect("a node of the chain");
    NAMES.into_iter().enumerate().filter(move |(other, _)| other.abs_diff(at) <= 1).map(|(_, name)| name)
}

/// All three as they come in the paper's own traffic, a saturated flow from A to G, and how often. The paper holds
/// besides that neither CTS nor acknowledgements can be lost to others: a few are.
#[test]
fn a_saturated_flow_loses_its_frames_in_these_three_ways() {
    let trace = Trace::of(&chain(100, "", &[flow("A", "G", "bulk", "0 s")]), 1);
    let end = SimTime::from_secs(100);
    let lost: Vec<&Sent> = trace.sent.iter().filter(|sent| sent.ends < end && !sent.received).collect();
    let count = |kind, carries, in_what: Option<FrameKind>| {
        let these = lost.iter().filter(|sent| (sent.kind, sent.carries) == (kind, carries));
        these.filter(|sent| in_what.is_none_or(|what| died_in(&trace, sent, what))).count()
    };
    let (segment, ack) = (Some(PacketKind::TcpData), Some(PacketKind::TcpAck));
    let share =
        |kind, carries, what| count(kind, carries, Some(what)) as f64 / count(kind, carries, None) as f64;

    let rts_in_data = share(FrameKind::Rts, None, FrameKind::Data);
    let data_in_ack = share(FrameKind::Data, segment, FrameKind::Ack);
    let ack_in_ack = share(FrameKind::Data, ack, FrameKind::Ack);
    let answers = count(FrameKind::Cts, None, None) + count(FrameKind::Ack, None, None);
    let answers = answers as f64 / lost.len() as f64;
    let shares = format!("{rts_in_data:.3} {data_in_ack:.3} {ack_in_ack:.3} {answers:.4}");
    assert!(rts_in_data > 0.5, "most RTS die in data: {shares}");
    assert!(data_in_ack > 0.5, "most segments die in acknowledgements: {shares}");
    assert!((0.01..0.1).contains(&ack_in_ack), "few TCP ACKs do; most die in data and RTS: {shares}");
    assert!((0.001..0.03).contains(&answers), "CTS and acknowledgements seldom: {shares}");
    records_agree(&trace, &lost);
}

/// The engine's own record of the interferers is that of the trace: so many frames of each link, each lost to a station
/// that was on the air.
fn records_agree(trace: &Trace, lost: &[&Sent]) {
    let rows = trace.record["interference"].as_array().expect("a list");
    assert!(rows.len() > 20);
    let asks = |sent: &Sent| matches!(sent.kind, FrameKind::Rts | FrameKind::Data);
    for row in rows {
        let [from, to, frame, by] =
            ["from", "to", "frame", "by"].map(|key| row[key].as_str().expect("a name"));
        // A lost answer is a failure of the station that waits for it.
        let of_link = lost.iter().filter(|sent| {
            let (asking, asked) = if asks(sent) { (&sent.from, &sent.to) } else { (&sent.to, &sent.from) };
            asking == from && asked == to && format!("{:?}", sent.kind).to_lowercase() == frame
        });
        let met = of_link.filter(|sent| !trace.over(sent, &[by]).is_empty()).count() as u64;
        let said = row["n"].as_u64().expect("a count");
        assert!(0 < said && said <= met, "{row}: {met} frames met {by}");
    }
    let said: u64 = rows.iter().map(|row| row["n"].as_u64().expect("a count")).sum();
    assert_eq!(said, lost.len() as u64);
}
