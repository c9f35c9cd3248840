//! The registry of drop causes. Each cause is stated here once; its doc comment is the sentence that users read.
//!
//! The ledger counts packets by [`DropReason`]. Two reasons say that a link gave a packet up: [`GiveUp`] tells what
//! made its attempts fail. [`cause`] gives the public name of both together. Results, sentences, the glossary and the
//! reference follow from [`DropCause`].

/// The kind of a cause: what a loss would have to be treated as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// A queue or a buffer had no room, or active queue management acted.
    Congestion,
    /// Transmissions of other stations.
    Contention,
    /// The channel, without any other transmission.
    Channel,
    /// The route, or the neighbour on it, was gone.
    Routing,
    /// A radio was switched off to save energy.
    Power,
    /// The packet became too old.
    Lifetime,
    /// The packet came too late, or was of no use to its receiver.
    Protocol,
}

impl Class {
    /// All classes.
    pub const ALL: [Self; 7] = [
        Self::Congestion,
        Self::Contention,
        Self::Channel,
        Self::Routing,
        Self::Power,
        Self::Lifetime,
        Self::Protocol,
    ];

    /// Public name, and what such a loss was, to be said after "in 3 cases"; of a slotted link the second clause, if
    /// there is one. `{cause}` stands for the name of the cause: then each cause of the class is told apart.
    #[must_use]
    pub const fn words(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Congestion => {
                ("congestion", "a queue had no room, or its management dropped the packet early", "")
            }
            Self::Contention => (
                "contention",
                "it was contention: the MAC got no answer because neighbours were sending",
                "it was contention: frames or their echoes collided with others",
            ),
            Self::Channel => ("channel", "{cause} destroyed the frame", ""),
            Self::Routing => ("routing", "the route was gone", ""),
            Self::Power => ("power saving", "the neighbour's radio was dozing", ""),
            Self::Lifetime => ("lifetime", "the packet's lifetime on the slotted link was over", ""),
            Self::Protocol => ("protocol", "the packet came too late or was of no use to its receiver", ""),
        }
    }
}

/// The layer that drops the packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layer {
    /// The MAC, or the slotted link.
    Link,
    /// The interface queue.
    Queue,
    /// Address resolution.
    Resolution,
    /// IP and the routing protocol.
    Network,
    /// A proxy, or an end of a transport.
    Transport,
    /// The node as a whole.
    Node,
}

impl Layer {
    /// Public name.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Link => "link",
            Self::Queue => "queue",
            Self::Resolution => "address resolution",
            Self::Network => "network",
            Self::Transport => "transport",
            Self::Node => "node",
        }
    }
}

/// The links over which a cause can occur.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Links {
    /// Every link.
    Any,
    /// IEEE 802.11 and its interface queue.
    Dcf,
    /// The slotted link.
    Slotted,
    /// Wired links.
    Wired,
}

impl Links {
    /// Public name.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::Dcf => "802.11",
            Self::Slotted => "slotted",
            Self::Wired => "wired",
        }
    }
}

/// All that is public about one cause.
#[derive(Clone, Copy, Debug)]
pub struct DropCause {
    /// Name in the ledger, with hyphens; of a [`GiveUp`] the name that its cause is made of.
    pub label: &'static str,
    /// Name of the cause where it is not the label with spaces.
    pub name: &'static str,
    /// What kind of loss it is.
    pub class: Class,
    /// Which layer drops the packet.
    pub layer: Layer,
    /// Over which links it can occur.
    pub links: Links,
    /// One sentence: what happened. The doc comment of the entry.
    pub meaning: &'static str,
    /// The same over a slotted link, if it has to be said otherwise.
    pub slotted: &'static str,
    /// Which keys of a scenario bring it about, for the glossary.
    pub source: &'static str,
    /// Whether a link or a route was gone, and neither room nor time was short.
    pub path: bool,
}

impl DropCause {
    const BLANK: Self = Self {
        label: "",
        name: "",
        class: Class::Routing,
        layer: Layer::Network,
        links: Links::Any,
        meaning: "",
        slotted: "",
        source: "",
        path: false,
    };

    /// Name of the cause: `queue full`, `contention (rts)`.
    #[must_use]
    pub fn name(&self) -> String {
        if self.name.is_empty() { self.label.replace('-', " ") } else { self.name.to_owned() }
    }
}

/// Declares an enum of causes: variants, `ALL`, and what is public about each.
macro_rules! causes {
    ($(#[$about:meta])* $name:ident { $(
        $(#[doc = $text:literal])+
        $variant:ident: $label:literal { $($facts:tt)* }
    )+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $( $(#[doc = $text])+ $variant, )+ }

        impl $name {
            /// All of them, in the order of the counters.
            pub const ALL: [Self; [$(Self::$variant),+].len()] = [$(Self::$variant),+];

            const FACTS: [DropCause; Self::ALL.len()] = [$(
                DropCause { label: $label, meaning: concat!($($text),+), $($facts)*, ..DropCause::BLANK },
            )+];

            /// What is public about it.
            #[inline]
            #[must_use]
            pub const fn facts(self) -> &'static DropCause {
                &Self::FACTS[self as usize]
            }

            /// Public name, with hyphens.
            #[must_use]
            pub const fn label(self) -> &'static str {
                self.facts().label
            }
        }
    };
}

causes! {
    /// Why a packet was dropped. The ledger has one counter for each.
    DropReason {
        /// The MAC sent RTS up to its retry limit and got no answer, because other stations were sending.
        RetryLimitRts: "retry-limit-rts" {
            name: "contention (rts)", class: Class::Contention, layer: Layer::Link, links: Links::Dcf, path: true
        }
        /// The MAC sent the data frame up to its retry limit and got no ACK, because other stations were sending.
        RetryLimitData: "retry-limit-data" {
            name: "contention (data)", class: Class::Contention, layer: Layer::Link, path: true,
            slotted: "The slotted link gave up: after the last retransmission no echo had come, because other stations \
                were sending."
        }
        /// It waited in the interface queue for a neighbour that routing had given up by then.
        LinkBroken: "link-broken" { layer: Layer::Queue, path: true }
        /// The interface queue had no room (congestion).
        QueueFull: "queue-full" {
            class: Class::Congestion, layer: Layer::Queue, slotted: "The link had no room (congestion)."
        }
        /// The interface queue had no room for a packet that came by a forced RTS, which its sender sends after it has
        /// been refused the allowed number of times (congestion).
        QueueFullForced: "queue-full-forced" {
            class: Class::Congestion, layer: Layer::Queue, links: Links::Dcf
        }
        /// Active queue management dropped it before the queue was full (congestion).
        EarlyDrop: "early-drop" { class: Class::Congestion, layer: Layer::Queue, links: Links::Dcf }
        /// There was no route to the destination.
        NoRoute: "no-route" { path: true }
        /// Too many packets waited for a route.
        RouteBufferFull: "route-buffer-full" { path: true }
        /// It waited too long for a route.
        RouteTimeout: "route-timeout" { path: true }
        /// ARP did not learn the neighbour's link-layer address, or another packet took its place in the buffer of ARP.
        AddressUnresolved: "address-unresolved" { layer: Layer::Resolution, path: true }
        /// The hop limit (TTL) ran out: the path is longer than `routing.hop-limit`, or routes led in a circle.
        Expired: "expired" { layer: Layer::Network }
        /// It had been on slotted links for longer than `frn.lifetime`, over all hops, waiting to be sent or for its
        /// echo.
        LifetimeOver: "lifetime-over" { class: Class::Lifetime, layer: Layer::Link, links: Links::Slotted }
        /// A proxy on the way had no room (congestion).
        ProxyOverflow: "proxy-overflow" {
            class: Class::Congestion, layer: Layer::Transport, source: "Proxies come from `agent`."
        }
        /// Nothing at the destination was waiting for it.
        Unclaimed: "unclaimed" { class: Class::Protocol, layer: Layer::Transport }
        /// Its bytes are no valid message of the protocol that they name.
        Malformed: "malformed" { class: Class::Protocol, layer: Layer::Network }
        /// The node went down with the packet in its memory.
        NodeDown: "node-down" { layer: Layer::Node }
        /// It was lost at random on a wired link.
        WireLoss: "wire-loss" {
            class: Class::Channel, layer: Layer::Link, links: Links::Wired,
            source: "The `loss` is that of the wired link, or of an event of kind `link-loss`."
        }
        /// The wired link was cut when it would have arrived.
        WireCut: "wire-cut" { layer: Layer::Link, links: Links::Wired, path: true }
        /// It reached the next hop after the reordering buffer there had stopped waiting for it.
        TooLate: "too-late" {
            class: Class::Protocol, layer: Layer::Link, links: Links::Dcf,
            source: "The buffer waits for `mac.aggregation.release-timer`."
        }
        /// The Linux of a node had it to pass it on and did not: it had no route, or no answer from the next hop.
        NotForwarded: "not-forwarded" { path: true, source: "This occurs in emulations with `--tap` only." }
    }
}

causes! {
    /// What made the attempts of a packet fail that a link gave up. [`Self::Contention`] is told by the frame that got
    /// no answer: its cause is that of the reason.
    GiveUp {
        /// Transmissions of other stations: collisions, hidden terminals, busy or reserved receivers.
        Contention: "contention" { class: Class::Contention, layer: Layer::Link }
        /// The MAC gave up: bit errors hit most of its attempts.
        BitErrors: "bit-errors" {
            class: Class::Channel, layer: Layer::Link,
            slotted: "The slotted link gave up: bit errors hit most of its frames or their echoes.",
            source: "Bit errors come from `air.bit-error-rate`, `air.packet-error-rate`, noise, or a bad time of \
                `air.burst`."
        }
        /// The MAC gave up: the link lost most of its attempts, as its `loss` says.
        LinkLoss: "link-loss" {
            class: Class::Channel, layer: Layer::Link,
            slotted: "The slotted link gave up: the link lost most of its frames or their echoes, as its `loss` says.",
            source: "The `loss` is that of a listed link, or of an event of kind `link-loss`."
        }
        /// The MAC gave up: most of its attempts were jammed, a frame or its answer.
        Jamming: "jamming" {
            class: Class::Channel, layer: Layer::Link,
            slotted: "The slotted link gave up: most of its frames or their echoes were jammed.",
            source: "Frames are jammed in the region of an event of kind `jam`."
        }
        /// The MAC gave up: most of its attempts faded, a frame or its answer.
        Fading: "fading" {
            class: Class::Channel, layer: Layer::Link,
            slotted: "The slotted link gave up: most of its frames or their echoes faded.",
            source: "They arrived too weak because of `air.fading`. At mean power they would have arrived."
        }
        /// The MAC gave up: the neighbour's radio was dozing during at least half of the attempts.
        /// Radios doze where `mac.nav-doze` is on.
        Dozing: "neighbour-dozing" { class: Class::Power, layer: Layer::Link, links: Links::Dcf }
        /// The MAC gave up: nothing disturbed its frames and nothing answered, as if the neighbour were away.
        Absent: "neighbour-absent" {
            layer: Layer::Link,
            slotted: "The slotted link gave up: nothing disturbed its frames and nothing answered, as if the neighbour \
                were away."
        }
    }
}

impl DropReason {
    /// Whether a link gave the packet up after its last attempt.
    #[inline]
    #[must_use]
    pub const fn is_give_up(self) -> bool {
        matches!(self, Self::RetryLimitRts | Self::RetryLimitData)
    }
}

/// The facts of a drop: those of the reason, but of a packet that a link gave up those of what made its attempts fail.
#[must_use]
pub const fn cause(reason: DropReason, failed: Option<GiveUp>) -> &'static DropCause {
    match failed {
        None | Some(GiveUp::Contention) => reason.facts(),
        Some(failed) => failed.facts(),
    }
}

/// Every cause, with the reasons under which the ledger counts it.
pub fn causes() -> impl Iterator<Item = (&'static DropCause, Vec<DropReason>)> {
    let given_up = || DropReason::ALL.into_iter().filter(|reason| reason.is_give_up()).collect();
    let finer = GiveUp::ALL.into_iter().filter(|failed| *failed != GiveUp::Contention);
    let of_reasons = DropReason::ALL.into_iter().map(|reason| (reason.facts(), vec![reason]));
    of_reasons.chain(finer.map(move |failed| (failed.facts(), given_up())))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_cause_has_a_name_of_its_own_and_one_sentence_for_each_of_its_links() {
        let names: BTreeSet<_> = causes().map(|(facts, _)| facts.name()).collect();
        assert_eq!(names.len(), DropReason::ALL.len() + GiveUp::ALL.len() - 1);
        for (facts, reasons) in causes() {
            let sentences = [facts.meaning, facts.slotted, facts.source].map(str::trim);
            assert!(sentences.iter().all(|it| it.is_empty() || it.ends_with('.')), "{facts:?}");
            assert!(!sentences[0].is_empty() && !reasons.is_empty(), "{facts:?}");
            // "The MAC" is no word for a slotted link.
            let mac = facts.meaning.contains("MAC") && facts.links == Links::Any;
            assert!(!mac || !facts.slotted.is_empty(), "{facts:?}");
        }
    }

    #[test]
    fn a_packet_that_was_given_up_is_told_by_what_made_its_attempts_fail() {
        use DropReason::{QueueFull, RetryLimitData, RetryLimitRts};
        let name = |reason, failed| cause(reason, failed).name();
        assert_eq!(name(QueueFull, None), "queue full");
        assert_eq!(name(RetryLimitRts, Some(GiveUp::Contention)), "contention (rts)");
        assert_eq!(name(RetryLimitData, Some(GiveUp::Contention)), "contention (data)");
        assert_eq!(name(RetryLimitData, Some(GiveUp::BitErrors)), "bit errors");
        assert_eq!(name(RetryLimitRts, Some(GiveUp::Dozing)), "neighbour dozing");
        assert_eq!(name(RetryLimitRts, Some(GiveUp::Absent)), "neighbour absent");
    }
}
