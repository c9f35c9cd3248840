//! One suite over every link, with a MAC behind a queue or with packets of its own: each packet comes to one end, one
//! transmission at a time, a copy for each delivery, timers are for later, a station that is down is silent, the short
//! way answers as the long one, and equal links answer alike.

mod air;
mod faulty;
mod script;
mod toy;

use proptest::prelude::*;

use self::air::Air;
use self::faulty::FAULTS;
use self::script::{STATIONS, Step, step};
use self::toy::{ToyLink, ToyMac};
use crate::link::frn::{Frn, FrnConfig, Interval, Queues};
use crate::link::machine::Access;
use crate::link::{AnyPacketLink, Link};
use crate::mac::config::{
    AfterMissed, AggregationConfig, Band, CategoryConfig, EdcaConfig, FrameProtection, Protection, Standard,
};
use crate::mac::dcf::Dcf;
use crate::mac::rate::RateControlKind;
use crate::mac::rate::minstrel_ht::config::{MinstrelHtConfig, MinstrelHtVersion};
use crate::mac::{
    AnyMac, DcfConfig, FlowControlConfig, FlowRule, MacConfig, Older, OtherMac, PacingConfig, RoundsConfig,
};
use crate::queue::{Queue, QueueConfig};
use crate::testing::{Finding, Member, ensure, members, must_be_documented, must_find, repeat, scripts};
use crate::units::{Bitrate, Bytes, Decibel, Dur, Entity, NodeId, Power, Purpose, Rng};

type Make = fn(NodeId) -> Link;

fn rng(me: NodeId) -> Rng {
    Rng::stream(1, u64::from(me.0), Entity::Whole, Purpose::Backoff)
}

fn queue() -> Queue {
    Queue::new(QueueConfig::default())
}

fn dcf(me: NodeId, config: DcfConfig) -> Link {
    Link::dcf(queue(), Dcf::new(config, me, rng(me)))
}

/// RTS before each data frame.
fn rts() -> DcfConfig {
    DcfConfig { rts_threshold: Bytes(0), ..DcfConfig::default() }
}

/// Frames of several MPDUs.
fn aggregating(after_missed: AfterMissed) -> DcfConfig {
    let aggregation = AggregationConfig { on: true, after_missed, ..AggregationConfig::default() };
    let (basic_rate, ack_rate) = (Bitrate::from_mbps(6), Some(Bitrate::from_mbps(24)));
    DcfConfig { standard: Standard::N, aggregation, basic_rate, ack_rate, ..DcfConfig::default() }
}

/// RTS before data and block ack requests.
fn announcing() -> DcfConfig {
    let aggregating = aggregating(AfterMissed::Request);
    let aggregation = AggregationConfig { announces_requests: true, ..aggregating.aggregation };
    DcfConfig { aggregation, rts_threshold: Bytes(0), ..aggregating }
}

/// The same, and MPDUs of several packets.
fn packing(on: bool) -> DcfConfig {
    let aggregating = aggregating(AfterMissed::Request);
    let amsdu_length = Bytes(3_839);
    DcfConfig {
        aggregation: AggregationConfig { on, amsdu_length, ..aggregating.aggregation },
        ..aggregating
    }
}

/// Four access categories.
fn edca(me: NodeId, edca: EdcaConfig) -> Link {
    let config = DcfConfig { edca, rts_threshold: Bytes(2_000), ..aggregating(AfterMissed::Request) };
    Link::queued(queue(), &MacConfig::Dcf(config), me, rng(me))
}

/// Four access categories whose MPDUs have several packets.
fn edca_packing(me: NodeId) -> Link {
    let edca = EdcaConfig { on: true, ..EdcaConfig::default() };
    Link::queued(queue(), &MacConfig::Dcf(DcfConfig { edca, ..packing(true) }), me, rng(me))
}

/// Four access categories, whose rates are chosen.
fn edca_by_minstrel(me: NodeId) -> Link {
    let edca = EdcaConfig { on: true, ..EdcaConfig::default() };
    let rate_control = RateControlKind::MinstrelHt;
    let config = DcfConfig { edca, rate_control, ..aggregating(AfterMissed::Request) };
    Link::queued(queue(), &MacConfig::Dcf(config), me, rng(me))
}

/// Frames of OFDM that a CTS to the own address protects.
fn protected() -> DcfConfig {
    let (data_rate, ack_rate) = (Bitrate::from_mbps(54), Some(Bitrate::from_mbps(24)));
    let (standard, protection) = (Standard::G, FrameProtection::CtsToSelf);
    DcfConfig { standard, data_rate, ack_rate, protection, ..DcfConfig::default() }
}

/// The last of the stations is of 802.11b, the others of 802.11n.
fn mixed(me: NodeId, edca: EdcaConfig) -> Link {
    let (basic_rate, protection) = (Bitrate::from_mbps(2), FrameProtection::CtsToSelf);
    let aggregating = aggregating(AfterMissed::Request);
    let newer = DcfConfig { edca, band: Band::Ghz2, basic_rate, protection, ..aggregating };
    let older = DcfConfig { data_rate: Bitrate::from_mbps(11), basic_rate, ..DcfConfig::default() };
    let last = NodeId(STATIONS as u32 - 1);
    if me == last {
        return dcf(me, older);
    }
    let newer = MacConfig::Dcf(newer);
    let mut link = Link::queued(queue(), &newer, me, rng(me));
    let mac = newer.towards(&MacConfig::Dcf(older));
    link.set_surroundings(Power::new(1e-13), &|_, _, _| Decibel::new(0.0), &[Older { node: last, mac }]);
    link
}

/// Stations whose queues are always full hold each other back.
fn held_back(me: NodeId) -> Link {
    let flow_control = FlowControlConfig { rule: FlowRule::FlaggedCts, ..FlowControlConfig::default() };
    let full = Queue::new(QueueConfig { limit: 0, ..QueueConfig::default() });
    Link::dcf(full, Dcf::new(DcfConfig { flow_control, ..rts() }, me, rng(me)))
}

fn frn(me: NodeId, config: FrnConfig) -> Link {
    Link::keeping(Frn::new(config, me, rng(me)).into())
}

/// MACs, each behind a queue.
mod macs {
    use super::*;

    members! {
        AnyMac => Make {
            Dcf {
                "dcf" => |me| dcf(me, rts()),
                "dcf, basic access" => |me| dcf(me, DcfConfig { rts_threshold: Bytes(10_000), ..rts() }),
                "dcf, flow control" => held_back,
                "dcf, pacing" => |me| dcf(me, DcfConfig {
                    pacing: PacingConfig { on: true, ..PacingConfig::default() },
                    rounds: RoundsConfig { extra: 2, adaptive: true, ..RoundsConfig::default() },
                    ..rts()
                }),
                "dcf, doze" => |me| dcf(me, DcfConfig { nav_doze: true, ..rts() }),
                "dcf, aggregation" => |me| dcf(me, aggregating(AfterMissed::Retry)),
                "dcf, block ack requests" => |me| dcf(me, DcfConfig {
                    rts_threshold: Bytes(2_000), ..aggregating(AfterMissed::Request)
                }),
                "dcf, announced block ack requests" => |me| dcf(me, announcing()),
                "dcf, a-msdu" => |me| dcf(me, packing(false)),
                "dcf, a-msdu in a-mpdu" => |me| dcf(me, packing(true)),
                "dcf, minstrel-ht" => |me| dcf(me, DcfConfig {
                    rate_control: RateControlKind::MinstrelHt, ..aggregating(AfterMissed::Retry)
                }),
                "dcf, minstrel-ht of ns-3" => |me| dcf(me, DcfConfig {
                    rate_control: RateControlKind::MinstrelHt,
                    minstrel_ht: MinstrelHtConfig { version: MinstrelHtVersion::Ns3, ..MinstrelHtConfig::default() },
                    ..aggregating(AfterMissed::Request)
                }),
                "dcf, cts-to-self" => |me| dcf(me, protected()),
                "dcf, older neighbour" => |me| mixed(me, EdcaConfig::default()),
                "dcf, arf" => |me| dcf(me, DcfConfig { rate_control: RateControlKind::Arf, ..rts() }),
            }
            Other {}
        }
    }

    pub(super) fn kind_of(link: &Link) -> Option<&'static str> {
        link.as_mac().map(|mac| match mac {
            AnyMac::Other(mac) => others::kind_of(mac),
            AnyMac::Dcf(_) => variant_of(mac),
        })
    }

    pub(super) fn all() -> Vec<Member<Make>> {
        members().into_iter().chain(others::all()).collect()
    }

    /// Those that are not the DCF: a set in the set.
    mod others {
        use super::*;

        members! {
            OtherMac => Make {
                Edca {
                    "edca" => |me| edca(me, EdcaConfig { on: true, ..EdcaConfig::default() }),
                    "edca, whole opportunities reserved" => |me| edca(me, EdcaConfig {
                        on: true, protection: Protection::Multiple, ..EdcaConfig::default()
                    }),
                    "edca, a-msdu" => edca_packing,
                    "edca, minstrel-ht" => edca_by_minstrel,
                    "edca, older neighbour" => |me| mixed(me, EdcaConfig { on: true, ..EdcaConfig::default() }),
                    "edca, single frames" => |me| edca(me, EdcaConfig {
                        on: true,
                        best_effort: CategoryConfig { aggregate: Some(false), ..CategoryConfig::default() },
                        voice: CategoryConfig { txop: Some(Dur::ZERO), ..CategoryConfig::default() },
                        ..EdcaConfig::default()
                    }),
                }
                Custom { "toy MAC" => |me| Link::mac(queue(), ToyMac::new(me)) }
            }
        }

        pub(super) fn kind_of(mac: &OtherMac) -> &'static str {
            variant_of(mac)
        }

        pub(super) fn all() -> Vec<Member<Make>> {
            members()
        }
    }
}

/// Links that keep their packets themselves.
mod links {
    use super::*;

    members! {
        AnyPacketLink => Make {
            Frn {
                "frn" => |me| frn(me, FrnConfig::default()),
                "frn, combined" => |me| frn(me, FrnConfig {
                    combine: true, combine_waiting: true, queues: Queues::Two, limit: 4, ..FrnConfig::default()
                }),
                "frn, stop and wait" => |me| frn(me, FrnConfig {
                    stop_and_wait: true, interval: Interval::Load, max_retransmissions: Some(2), ..FrnConfig::default()
                }),
            }
            Custom { "toy link" => |me| Link::custom(ToyLink::new(me)) }
        }
    }

    pub(super) fn kind_of(link: &Link) -> Option<&'static str> {
        match &link.access {
            Access::Mac(_) => None,
            Access::Packets(link) => Some(variant_of(link)),
        }
    }

    pub(super) fn all() -> Vec<Member<Make>> {
        members()
    }
}

fn check(make: impl Fn(NodeId) -> Link, steps: &[Step]) -> Finding {
    let run = |short| Air::run((0..STATIONS as u32).map(|at| make(NodeId(at))).collect(), steps, short);
    let answers = repeat(|| run(true))?;
    ensure!(run(false)? == answers, "the short way answers otherwise than the long one");
    Ok(())
}

fn check_members(members: &[Member<Make>], kind_of: fn(&Link) -> Option<&'static str>) {
    let scripts = scripts(&prop::collection::vec(step(), 0..60), 24);
    for member in members {
        assert_eq!(kind_of(&(member.make)(NodeId(0))), Some(member.variant), "{}", member.name);
        for steps in &scripts {
            let found = check(member.make, steps);
            assert!(found.is_ok(), "{}: {found:?}, with {steps:?}", member.name);
        }
    }
}

#[test]
fn every_mac_keeps_the_contract() {
    check_members(&macs::all(), macs::kind_of);
}

#[test]
fn every_link_with_packets_of_its_own_keeps_the_contract() {
    check_members(&links::all(), links::kind_of);
}

#[test]
fn the_suite_finds_each_fault_in_each_member() {
    let scripts = scripts(&prop::collection::vec(step(), 40..60), 16);
    for members in [macs::all(), links::all()] {
        must_find(&FAULTS, &members, &scripts, |fault, make, steps| {
            check(|me| faulty::with(fault, make(me)), steps)
        });
    }
}

#[test]
fn the_tables_of_suites_name_members_and_faults() {
    must_be_documented("MAC", &macs::all(), &FAULTS);
    must_be_documented("link", &links::all(), &FAULTS);
}
