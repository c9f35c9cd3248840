//! Rates of the MAC that are allowed, but that the PHY does not have or that gain nothing.

use crate::air::Reception;
use crate::check::noise::{CARRIED, loss};
use crate::scenario::{Locator, Resolved, Scenario, TopologyConfig};
use multihop_proto::mac::{MacConfig, Standard};
use multihop_proto::units::{Bitrate, Bytes, Power};

/// Remarks on `[mac]`.
pub(super) fn remarks(it: &Resolved, at: &Locator<'_>) -> Vec<String> {
    let config = &it.config;
    let rate = || unknown_rate("mac.data-rate", &config.mac, config.mac.data_rate());
    let longest = it.flows.iter().map(|flow| config.longest_packet(&flow.config, flow.transport)).max();
    let unknown = if config.has_queues() { rate() } else { None };
    let beyond = config.macs().find_map(|(path, mac)| beyond_standard(&path, mac, at));
    let gains =
        longest.filter(|_| config.has_queues()).and_then(|longest| gains_nothing(config, longest, at));
    unknown.into_iter().chain(gains).chain(beyond).collect()
}

/// A limit of aggregates that the standard does not have.
fn beyond_standard(path: &str, mac: &MacConfig, at: &Locator<'_>) -> Option<String> {
    let (key, what) = mac.beyond_standard()?;
    let path = format!("{path}.{key}");
    Some(at.remark(&path, format!("`{path}` is {what}")))
}

/// That rate control gains no range, if it is so: what is decoded at all is received as well at the fastest rate.
fn gains_nothing(config: &Scenario, longest: Bytes, at: &Locator<'_>) -> Option<String> {
    let mut all = config.macs().map(|(path, mac)| (format!("{path}.rate-control"), mac));
    let air = &config.air;
    let listed = matches!(config.topology, TopologyConfig::Links(_));
    let strikes = (air.reception == Reception::Sinr || air.noise_errors) && !listed;
    let (path, mac) = all.find_map(|(path, mac)| {
        let fine = || loss(air, mac, mac.data_vector(), longest, air.receive_threshold.get()) < CARRIED;
        (mac.chooses_rates() && (!strikes || fine())).then_some((path, mac))
    })?;
    let why = if listed {
        "listed links lose as much at every rate".to_owned()
    } else {
        format!(
            "a frame that is decoded at all, at `air.receive-threshold` = {}, is received as well at {} as at {}; a lower \
             threshold lets slow frames go farther, as in the profile `linux24`",
            decibels(air.receive_threshold),
            megabits(mac.data_rate()),
            megabits(mac.slowest_vector().rate())
        )
    };
    Some(at.remark(&path, format!("rate control gains no range: {why}")))
}

/// A power as people write it, to a hundredth of a decibel.
fn decibels(power: Power) -> String {
    format!("{} dBm", (10.0 * libm::log10(power.get() / 1e-3) * 100.0).round() / 100.0)
}

/// A rate as people write it, to a tenth of a megabit.
fn megabits(rate: Bitrate) -> String {
    format!("{} Mb/s", (rate.as_bps() as f64 / 1e5).round() / 10.0)
}

/// Rates that the DSSS PHY has, with HR/DSSS (IEEE 802.11-2020 §15, §16) \[bit/s\].
const DSSS: [u64; 4] = [1_000_000, 2_000_000, 5_500_000, 11_000_000];

/// A data rate that no PHY here has: preamble, slots and gaps are not those of a faster one.
pub(super) fn unknown_rate(key: &str, mac: &MacConfig, rate: Bitrate) -> Option<String> {
    (mac.standard() == Standard::B && !DSSS.contains(&rate.as_bps())).then(|| {
        format!(
            "`{key}` is {rate}: frames here are those of DSSS, which has 1, 2, 5.5 and 11 Mbps; preamble, slots and gaps are not those of another PHY"
        )
    })
}
