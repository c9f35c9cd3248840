//! The scenario file as types: every section once, with its name, its type, what reads it and what checks it.

use super::agent::AgentConfig;
use super::channels::ChannelsConfig;
use super::error::ScenarioError;
use super::event::EventConfig;
use super::group::{NodeConfig, RadioConfig};
use super::layout::TopologyConfig;
use super::locate::Locator;
use super::measure::{MeasureConfig, RunConfig};
use super::radio::{NamedRadio, RadioGroup};
use super::read::{self, section};
use super::tree::Node;
use super::wire::WireConfig;
use crate::air::EnergyConfig;
use crate::air::config::AirConfig;
use crate::machines::{self, Parts};
use crate::mobility::MobilityConfig;
use crate::traffic::config::FlowConfig;
use multihop_proto::arp::ArpConfig;
use multihop_proto::atp::AtpConfig;
use multihop_proto::hop_rate::HopRateConfig;
use multihop_proto::link::frn::FrnConfig;
use multihop_proto::link::{LinkChoice, LinkConfig, LinkKind};
use multihop_proto::mac::config::MacConfig;
use multihop_proto::queue::config::QueueConfig;
use multihop_proto::routing::config::RoutingConfig;
use multihop_proto::shim::{Beginning, ShimConfig};
use multihop_proto::signals::SignalsConfig;
use multihop_proto::tcp::config::TcpConfig;
use multihop_proto::udp::config::UdpConfig;
use multihop_proto::units::range::Checked;
use multihop_proto::units::{Bitrate, Bytes, NodeId};
use schemars::JsonSchema;
use serde::Serialize;
use std::borrow::Cow;

/// What the keys begin with that are about how nodes find each other.
pub const ABOUT_ROUTES: [&str; 3] = ["routing.", "arp.", "signals."];

/// The scenario and all that is done with each of its sections. A line: the section's name and type, the function that
/// reads it ([`section`] if serde can), and the check of its values, which sees the whole scenario besides.
macro_rules! sections {
    ($( $(#[$about:meta])* $name:ident: $type:ty, $read:expr, $check:expr; )*) => {
        /// A whole scenario, every value settled.
        #[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
        #[serde(rename_all = "kebab-case")]
        #[schemars(deny_unknown_fields)]
        pub struct Scenario {
            $( $(#[$about])* pub $name: $type, )*
        }

        impl Scenario {
            /// Reads every section.
            pub(super) fn read(root: &Node) -> Result<Self, ScenarioError> {
                read::only(root, &[$( stringify!($name) ),*])?;
                Ok(Self { $( $name: $read(root, stringify!($name))?, )* })
            }

            /// Checks every section by itself.
            pub(crate) fn check(&self, at: &Locator<'_>) -> Result<(), ScenarioError> {
                $(
                    let own: fn(&$type, &Self) -> Checked = $check;
                    at.section(stringify!($name), own(&self.$name, self))?;
                )*
                Ok(())
            }
        }
    };
}

sections! {
    /// What the scenario shows, in one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<String>, section, |_, _| Ok(());
    /// Fidelity profile that supplies what the file does not say.
    #[schemars(default = "Scenario::default_profile")]
    profile: String, read::profile, |_, _| Ok(());
    /// Length and seed of a run.
    #[serde(default)]
    run: RunConfig, section, |it, _| it.check();
    /// What is measured.
    #[serde(default)]
    measure: MeasureConfig, section, |it, all| it.fits(all.run.duration);
    /// Where the nodes are.
    topology: TopologyConfig, read::topology, |it, _| it.check();
    /// How nodes move that have no waypoints of their own; without this section they stay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "MobilityConfig")]
    mobility: Option<MobilityConfig>, read::mobility, |it, _| it.as_ref().map_or(Ok(()), MobilityConfig::check);
    /// The radio channel.
    #[serde(default)]
    air: AirConfig, section, |it, _| it.check();
    /// Radios and their channels by a plan for all nodes; `[[node]] radio` and `[[radio]]` go before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ChannelsConfig")]
    channels: Option<ChannelsConfig>, read::channels, |it, _| it.as_ref().map_or(Ok(()), ChannelsConfig::check);
    /// What radios draw; with this section, every frame is metered. Without it energy is that of cards with its
    /// defaults.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "EnergyConfig")]
    energy: Option<EnergyConfig>, section, |it, _| it.as_ref().map_or(Ok(()), EnergyConfig::check);
    /// Which data link nodes have.
    #[serde(default)]
    link: LinkConfig, section, |it, _| it.check();
    /// Medium access of a link of kind `dcf`.
    #[serde(default)]
    mac: MacConfig, read::mac, |it, _| it.check();
    /// The slotted data link of the Flexible Radio Network, a link of kind `frn`.
    #[serde(default)]
    frn: FrnConfig, section, |it, _| it.check();
    /// The interface queue of a link of kind `dcf`.
    #[serde(default)]
    queue: QueueConfig, section, |it, _| it.check();
    /// Address resolution between routing and the link.
    #[serde(default)]
    arp: ArpConfig, section, |it, _| it.check();
    /// Routing.
    #[serde(default)]
    routing: RoutingConfig, section, |it, _| it.check();
    /// TCP.
    #[serde(default)]
    tcp: TcpConfig, section, |it, _| it.check();
    /// ATP, a transport at a rate.
    #[serde(default)]
    atp: AtpConfig, section, |it, _| it.check();
    /// What stands between TCP and the network at the ends of its flows.
    #[serde(default)]
    shim: ShimConfig, section, |it, _| it.check();
    /// What nodes tell the ends of TCP flows about broken routes.
    #[serde(default)]
    signals: SignalsConfig, section, |it, _| it.check();
    /// Hop-by-hop rate control of TCP segments.
    #[serde(default)]
    rates: HopRateConfig, section, |it, _| it.check();
    /// UDP.
    #[serde(default)]
    udp: UdpConfig, section, |it, _| it.check();
    /// Which node sends what to which.
    #[serde(default)]
    flow: Vec<FlowConfig>, read::flows, |_, _| Ok(());
    /// What some nodes have otherwise than the others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    node: Vec<NodeConfig>, read::nodes, |_, _| Ok(());
    /// Radios that nodes have in common.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    radio: Vec<RadioGroup>, section, |_, _| Ok(());
    /// Wired links between nodes, beside their radios.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    wire: Vec<WireConfig>, section, |_, _| Ok(());
    /// What stands in relays, between routing and the link, and sees the packets of flows pass.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    agent: Vec<AgentConfig>, section, |_, _| Ok(());
    /// What happens to the network meanwhile.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    event: Vec<EventConfig>, section, |_, _| Ok(());
}

impl Scenario {
    /// What every node is made of that does not say otherwise.
    pub(crate) fn parts(&self) -> Parts<'_> {
        Parts {
            link: match self.slots() {
                Some(config) => LinkChoice::Frn(config),
                None => LinkChoice::Dcf,
            },
            mac: &self.mac,
            older: &[],
            queue: &self.queue,
            arp: &self.arp,
            routing: &self.routing,
            hop_rate: &self.rates,
            data_header: self.tcp.data_header,
            noise: self.air.noise,
            ofdm_errors: self.air.ofdm_errors,
        }
    }

    /// How a connection of the simulator's TCP would begin between these nodes: what a layer below another TCP asks of
    /// it.
    #[must_use]
    pub fn beginning(&self, ends: (NodeId, NodeId)) -> Beginning {
        machines::beginning(&self.tcp, ends, self.air.receive_threshold)
    }

    /// Takes the default of all that [`ABOUT_ROUTES`] names: another network stack routes.
    pub fn forget_routes(&mut self) {
        (self.routing, self.arp) = (RoutingConfig::default(), ArpConfig::default());
        self.signals = SignalsConfig::default();
    }

    /// Whether nodes have interface queue and MAC.
    #[must_use]
    pub const fn has_queues(&self) -> bool {
        self.link.kind.has_queue()
    }

    /// The link with slots, if nodes have it.
    #[must_use]
    pub fn slots(&self) -> Option<&FrnConfig> {
        (self.link.kind == LinkKind::Frn).then_some(&self.frn)
    }

    /// The rate at which all frames go and its key, if the link has only one.
    pub(crate) fn only_rate(&self) -> Option<(&'static str, Bitrate)> {
        self.slots().map(|link| ("frn.rate", link.rate))
    }

    /// Refuses a packet of this length if it is too long for a frame of the link.
    pub(crate) fn check_packet(&self, longest: Bytes, at: &Locator<'_>) -> Result<(), ScenarioError> {
        self.slots().map_or(Ok(()), |link| at.section("frn", link.check_packet(longest)))
    }

    /// What would have to be set for a key of a section to mean something, if it does not now.
    pub(crate) fn unmet(&self, section: &str, key: &str) -> Option<&'static str> {
        match section {
            "air" => self.air.unmet(key),
            // A key means something if any node uses it.
            "mac" => self.macs().map(|(_, mac)| mac.unmet(key)).min_by_key(Option::is_some)?,
            "queue" => self.queues().map(|queue| queue.unmet(key)).min_by_key(Option::is_some)?,
            "tcp" => self.tcps().map(|tcp| tcp.unmet(key)).min_by_key(Option::is_some)?,
            "frn" => self.frn.unmet(key, self.routing.spreads()),
            _ => None,
        }
    }

    /// Medium access of all nodes, and what groups of them have otherwise, each with its path.
    pub(crate) fn macs(&self) -> impl Iterator<Item = (String, &MacConfig)> {
        let own = self.node.iter().enumerate().filter_map(|(index, group)| {
            group.mac.as_ref().map(|own| (format!("node.{index}.mac"), &own.settled))
        });
        std::iter::once(("mac".to_owned(), &self.mac)).chain(own)
    }

    /// Interface queues of all nodes, and what groups of them have otherwise.
    fn queues(&self) -> impl Iterator<Item = &QueueConfig> {
        let own = self.node.iter().filter_map(|group| group.queue.as_ref().map(|own| &own.settled));
        std::iter::once(&self.queue).chain(own)
    }

    /// TCP of all flows, and what some of them have otherwise.
    fn tcps(&self) -> impl Iterator<Item = &TcpConfig> {
        let own = self.flow.iter().filter_map(|flow| flow.tcp.as_ref().map(|own| &own.settled));
        std::iter::once(&self.tcp).chain(own)
    }

    /// What radios say of a channel.
    pub(crate) fn channel(&self, channel: u16) -> RadioConfig {
        let on_it = || self.radios().map(|named| named.radio).filter(|radio| radio.channel == channel);
        RadioConfig {
            channel,
            width: on_it().find_map(|radio| radio.width),
            mcs: on_it().find_map(|radio| radio.mcs),
            streams: on_it().find_map(|radio| radio.streams),
        }
    }

    /// Whether a radio says anything of its channel but the number.
    pub(crate) fn says_of_channels(&self) -> bool {
        self.radios().any(|named| !named.radio.is_plain())
    }

    /// Whether the scenario names the channel of any node.
    pub(crate) fn names_channels(&self) -> bool {
        self.channels.is_some() || self.radios().next().is_some()
    }

    /// All radios that are named.
    pub(crate) fn radios(&self) -> impl Iterator<Item = NamedRadio> {
        let own = self.node.iter().enumerate().flat_map(|(index, node)| {
            let radios = node.radio.iter().enumerate();
            radios.map(move |(place, &radio)| NamedRadio { group: Some(index), place, radio })
        });
        let common = self.radio.iter().enumerate();
        own.chain(common.map(|(place, it)| NamedRadio { group: None, place, radio: it.radio() }))
    }

    /// Medium access of the nodes of a group on a channel.
    pub(crate) fn mac_on(&self, group: Option<usize>, channel: u16) -> Cow<'_, MacConfig> {
        let (mac, said) = (self.parts_of(group).mac, self.channel(channel));
        self.beside_others(if said.is_plain() {
            Cow::Borrowed(mac)
        } else {
            Cow::Owned(mac.with_modes(said.width, said.mcs, said.streams))
        })
    }

    /// Medium access of all nodes and groups, and of radios that say something of their channels.
    pub(crate) fn all_macs(&self) -> impl Iterator<Item = Cow<'_, MacConfig>> {
        let own = self.node.iter().enumerate().flat_map(move |(index, group)| {
            let said = group.radio.iter().filter(|radio| !radio.is_plain());
            said.map(move |radio| self.mac_on(Some(index), radio.channel))
        });
        let common = self.radio.iter().map(RadioGroup::radio).filter(|radio| !radio.is_plain());
        let common = common.map(|radio| self.mac_on(None, radio.channel));
        self.macs().map(|(_, mac)| Cow::Borrowed(mac)).chain(own).chain(common)
    }

    /// What the nodes of a group are made of.
    pub(crate) fn parts_of(&self, group: Option<usize>) -> Parts<'_> {
        let Some(NodeConfig { mac, queue, .. }) = group.and_then(|index| self.node.get(index)) else {
            return self.parts();
        };
        Parts {
            mac: mac.as_ref().map_or(&self.mac, |own| &own.settled),
            queue: queue.as_ref().map_or(&self.queue, |own| &own.settled),
            ..self.parts()
        }
    }

    /// The profile of a file that names none.
    pub(super) fn default_profile() -> String {
        read::default_profile()
    }
}

/// JSON Schema of the scenario file.
#[must_use]
pub fn json_schema() -> String {
    format!("{:#}", schemars::schema_for!(Scenario).as_value())
}
