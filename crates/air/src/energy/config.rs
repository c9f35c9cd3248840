//! What radios draw, how it is counted, and what they have to spend.

use multihop_proto::keys;
use multihop_proto::units::{Dur, Energy, Power};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::state::RadioState;

/// What no radio draws.
const MOST_POWER: Power = Power::new(1e6);

keys! {
    /// What a radio draws in each state. With this section, every frame is metered.
    #[derive(Clone, Debug, PartialEq)]
    pub struct EnergyConfig {
        /// Whose powers are those that are not given below.
        pub card: Card = Card::default(),
        /// How the time in each state is counted.
        pub accounting: Accounting = Accounting::default(),
        /// While it sends. Default: the card's.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub transmit: Option<Power> = None => if_set(Power::new(0.0), MOST_POWER),
        /// While frames for it, or for all, arrive. Default: the card's.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub receive: Option<Power> = None => if_set(Power::new(0.0), MOST_POWER),
        /// While it senses any other signal. Default: as `receive`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub overhear: Option<Power> = None => if_set(Power::new(0.0), MOST_POWER),
        /// While the medium is idle. Default: as `receive` with `orinoco`, nothing with `ns2`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub idle: Option<Power> = None => if_set(Power::new(0.0), MOST_POWER),
        /// While its MAC has it doze. Default: the card's.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub doze: Option<Power> = None => if_set(Power::new(0.0), MOST_POWER),
        /// How long waking takes a radio that has dozed: so much of each doze, its beginning, counts as idle.
        pub wake_up: Dur = Dur::from_us(250) => within(Dur::ZERO, Dur::from_secs(1)),
        /// What each node has to spend. One that has spent it is down from then on, for good. Default: without end.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub battery: Option<Energy> = None => if_set(Energy::new(1e-6), Energy::new(1e12)),
    }
}

/// Whose powers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Card {
    /// The data sheet of an ORiNOCO 11 Mb/s card at 5 V: 285 mA sending, 185 mA receiving, 9 mA dozing; a card that
    /// listens to nothing draws what it draws when it receives.
    #[default]
    Orinoco,
    /// ns-2's energy model as it comes: 660 mW sending, 395 mW receiving, nothing idle or asleep.
    Ns2,
}

/// How the time in each state is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Accounting {
    /// As it passes: a radio is in one state at any time.
    #[default]
    Clock,
    /// As ns-2 does: the whole of a frame when it begins, sent or sensed; time that is charged already is not charged
    /// again, whatever it was charged for; idle time when the next frame begins, and at both ends of the measured time.
    Ns2,
}

impl EnergyConfig {
    /// What a radio draws in a state \[W\]; a node that is down draws nothing.
    #[must_use]
    pub fn power(&self, state: RadioState) -> f64 {
        let [transmit, receive, doze] = match self.card {
            Card::Orinoco => [1.425, 0.925, 0.045],
            Card::Ns2 => [0.660, 0.395, 0.0],
        };
        let receive = self.receive.map_or(receive, Power::get);
        let idle = if self.card == Card::Ns2 { 0.0 } else { receive };
        match state {
            RadioState::Down => 0.0,
            RadioState::Doze => self.doze.map_or(doze, Power::get),
            RadioState::Transmit => self.transmit.map_or(transmit, Power::get),
            RadioState::Receive => receive,
            RadioState::Overhear => self.overhear.map_or(receive, Power::get),
            RadioState::Idle => self.idle.map_or(idle, Power::get),
        }
    }
}
