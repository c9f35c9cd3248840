//! Channels by number that the standard does not have in their band. A number only tells channels apart here: frames go
//! by `mac.band` all the same.

use crate::scenario::{Locator, Resolved};
use multihop_proto::phy::{Band, Generation, TxVector, Width};

/// From here on channels are those of 6 GHz, which count from 1 as well \[Hz\].
const SIX_GHZ: f64 = 5.925e9;

/// The first channel that is of another band than its frames, or too narrow for them (IEEE 802.11-2020 §19, §21 and
/// annex E; 802.11ax-2021 §27).
pub(super) fn remarks(it: &Resolved, at: &Locator<'_>) -> Vec<String> {
    let config = &it.config;
    if config.air.frequency.get() > SIX_GHZ {
        return Vec::new();
    }
    let named = config.radios().map(|named| {
        let (path, width) = (named.path(), format!("{}.width", named.path()));
        let width = if at.is_said(&width) { width } else { "mac.width".to_owned() };
        (named.group, named.radio.channel, format!("{path}.channel"), width)
    });
    let planned = config.channels.iter().flat_map(|plan| plan.list.iter().zip(0..));
    let planned = planned
        .map(|(&channel, place)| (None, channel, format!("channels.list.{place}"), "mac.width".to_owned()));
    let found = named.chain(planned).find_map(|(group, channel, path, width)| {
        let strange = strange(config.mac_on(group, channel).data_vector(), channel)?;
        Some(match strange {
            Strange::Vht => {
                let what = "a channel at 2.4 GHz, where 802.11ac has none: its frames are those of 5 GHz";
                at.remark(&path, format!("`{path}` is {channel}, {what}"))
            }
            Strange::Wide(mhz) => {
                let why = format!("channel {channel} is at 2.4 GHz, where none is wider than 40 MHz");
                at.remark(&width, format!("`{width}` is {mhz} MHz, and {why}"))
            }
            Strange::Above => {
                let what =
                    "a channel at 5 GHz, and `mac.band` is \"2.4 GHz\": its frames are those of 2.4 GHz";
                at.remark(&path, format!("`{path}` is {channel}, {what}"))
            }
        })
    });
    found.into_iter().collect()
}

/// What is strange about frames on a channel.
enum Strange {
    /// 802.11ac at 2.4 GHz.
    Vht,
    /// So many megahertz at 2.4 GHz.
    Wide(u32),
    /// Rules of 2.4 GHz at 5 GHz.
    Above,
}

const fn strange(tx: TxVector, channel: u16) -> Option<Strange> {
    match tx {
        TxVector::Mcs(mcs) if channel <= Band::LAST_AT_GHZ2 => match (mcs.generation, mcs.width) {
            (Generation::Vht, _) => Some(Strange::Vht),
            (_, Width::Mhz80 | Width::Mhz160) => Some(Strange::Wide(mcs.width.mhz())),
            _ => None,
        },
        TxVector::Mcs(mcs) if matches!(mcs.band, Band::Ghz2) => Some(Strange::Above),
        TxVector::Ofdm(ofdm) if channel > Band::LAST_AT_GHZ2 && matches!(ofdm.band, Band::Ghz2) => {
            Some(Strange::Above)
        }
        _ => None,
    }
}
