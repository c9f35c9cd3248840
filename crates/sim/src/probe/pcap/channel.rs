//! Frequencies of channels by their numbers (IEEE 802.11-2020 Annex E).

use multihop_proto::contract::Stations;
use multihop_proto::mac::Standard;
use multihop_proto::phy::{Band, TxVector};
use multihop_proto::units::NodeId;

use crate::scenario::Resolved;

/// Centre frequency of a channel of 20 MHz \[MHz\].
const fn megahertz(band: Band, number: u16) -> u16 {
    match band {
        Band::Ghz2 if number == Band::LAST_AT_GHZ2 => 2_484,
        Band::Ghz2 => 2_407 + 5 * number,
        Band::Ghz5 => 5_000 + 5 * number,
    }
}

/// The band of a channel: that of the MAC, where one is said or its standard has one only, else the one in which the
/// number is known. Above 14 there are channels at 5 GHz only.
const fn band(of_mac: Option<Band>, number: u16) -> Band {
    match of_mac {
        _ if number > Band::LAST_AT_GHZ2 => Band::Ghz5,
        Some(band) => band,
        None => Band::Ghz2,
    }
}

/// Frequency of the channel of each station \[MHz\]; none where the scenario names no channel.
pub(super) fn tuned(scenario: &Resolved, stations: &Stations) -> Vec<Option<u16>> {
    let config = &scenario.config;
    let numbered = config.names_channels();
    let said = scenario.origins.keys().any(|key| key == "mac.band" || key.ends_with(".mac.band"));
    let frequency = |station: NodeId| {
        let number = stations.channel(station);
        let mac = config.mac_on(scenario.nodes[stations.node_of(station).index()].group, number);
        let of_mac = match mac.data_vector() {
            TxVector::Dsss(_) => Some(Band::Ghz2),
            TxVector::Ofdm(ofdm) => Some(ofdm.band),
            TxVector::Mcs(mcs) => (said || mac.standard() == Standard::Ac).then_some(mcs.band),
        };
        numbered.then(|| megahertz(band(of_mac, number), number))
    };
    (0..stations.count() as u32).map(NodeId).map(frequency).collect() // station counts are 32-bit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_annex_e() {
        let at_2_4 = [1, 6, 11, 13, 14].map(|number| megahertz(Band::Ghz2, number));
        assert_eq!(at_2_4, [2_412, 2_437, 2_462, 2_472, 2_484]);
        assert_eq!(
            [36, 64, 149, 165].map(|number| megahertz(Band::Ghz5, number)),
            [5_180, 5_320, 5_745, 5_825]
        );
    }

    #[test]
    fn above_14_channels_lie_at_5_ghz() {
        for of_mac in [None, Some(Band::Ghz2)] {
            let bands = [11, 14, 15, 36].map(|number| band(of_mac, number));
            assert_eq!(bands, [Band::Ghz2, Band::Ghz2, Band::Ghz5, Band::Ghz5]);
        }
        assert_eq!(band(Some(Band::Ghz5), 11), Band::Ghz5);
    }
}
