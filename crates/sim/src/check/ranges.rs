//! Values that the types allow and physics, protocols or sense forbid.

use super::{names, older};
use crate::kernel::EventQueue;
use crate::scenario::{ChannelPlan, Locator, Resolved, Scenario, ScenarioError};
use multihop_proto::arp::ArpKind;
use multihop_proto::link::LinkKind;
use multihop_proto::units::Dur;
use multihop_proto::units::range::{Checked, Wrong, must};

type Outcome = Result<(), ScenarioError>;

/// Checks every section, and what two of them say together; flows and events need the nodes first.
pub(crate) fn sections(config: &Scenario, at: &Locator<'_>) -> Outcome {
    config.check(at)?;
    names::scenario(config, at)?;
    at.section("rates", rates(config))?;
    for (_, mac) in config.macs() {
        at.section("air", mac.check_delay(config.air.propagation_delay))?;
    }
    older::groups(config, at)?;
    channels(config, at)?;
    some_radio(config, at)?;
    chosen(config, at)?;
    if !config.has_queues() && config.arp.kind != ArpKind::Off {
        let message = format!(
            "address resolution cannot act: it needs interface queue and MAC, whose place `{}` has taken",
            config.link.kind.name()
        );
        let help = "set `arp.kind` = \"off\": a packet goes on in the next slot, and who is near is known from control packets";
        return Err(at.error("arp.kind", message, help));
    }
    Ok(())
}

/// A channel is the same for all radios on it, and what radios say of it goes with the standard.
fn channels(config: &Scenario, at: &Locator<'_>) -> Outcome {
    for named in config.radios() {
        let (group, radio, path) = (named.group, named.radio, named.path());
        let all = config.channel(radio.channel).said();
        for ((key, own), (_, first)) in radio.said().into_iter().zip(all) {
            let (Some(own), Some(first)) = (own, first) else { continue };
            let path = format!("{path}.{key}");
            if let Some(needed) = config.parts_of(group).mac.unmet(key) {
                return Err(at.error(
                    &path,
                    format!("`{path}` means nothing here"),
                    format!("it needs {needed}"),
                ));
            }
            if own != first {
                let message = format!(
                    "`{path}` is {own}, and another radio on channel {} has {first}: a channel is the same for all",
                    radio.channel
                );
                return Err(at.error(&path, message, "say it once, or choose another channel"));
            }
        }
        if !radio.is_plain() {
            at.section(&path, config.mac_on(group, radio.channel).check())?;
        }
    }
    Ok(())
}

/// A list of radios has one at least.
fn some_radio(config: &Scenario, at: &Locator<'_>) -> Outcome {
    let common = ("radio".to_owned(), config.radio.is_empty());
    let own =
        config.node.iter().zip(0..).map(|(it, place)| (format!("node.{place}.radio"), it.radio.is_empty()));
    match own.chain([common]).find(|(path, is_empty)| *is_empty && at.is_said(path)) {
        None => Ok(()),
        Some((path, _)) => {
            let message = format!("`{path}` is empty: there is one radio at least");
            let help = "name one, like radio = [{ channel = 36 }], or leave it out: then all nodes are on one channel";
            Err(at.error(&path, message, help))
        }
    }
}

/// A section of a link does not choose it: the kind does.
fn chosen(config: &Scenario, at: &Locator<'_>) -> Outcome {
    let others = LinkKind::ALL.iter().filter(|&&kind| kind != config.link.kind && !kind.has_queue());
    let mut keys = others.flat_map(|kind| kind.sections().iter().map(move |section| (kind, section)));
    let found = keys.find_map(|(kind, section)| at.own_under(section).next().map(|path| (kind, path)));
    match found.filter(|_| !at.is_said("link.kind")) {
        None => Ok(()),
        Some((kind, path)) => {
            let message = format!(
                "`{path}` is of a link that the scenario does not choose: `link.kind` is \"{}\" by default",
                config.link.kind.name()
            );
            Err(at.error(path, message, format!("set link.kind = \"{}\"", kind.name())))
        }
    }
}

/// Hop-by-hop rate control has a header between IP and TCP, and stands in front of the interface queue.
fn rates(config: &Scenario) -> Checked {
    if !config.rates.on {
        Ok(())
    } else if config.routing.has_header_after_ip() {
        let what = "rate control cannot act: it needs the place between IP and TCP, where the routing protocol has a header \
                    of its own";
        Err(Wrong::says("on", what, "choose another routing"))
    } else if !config.has_queues() {
        let kind = config.link.kind.name();
        let what =
            format!("rate control cannot act: it needs an interface queue, whose place `{kind}` has taken");
        Err(Wrong::says("on", what, "set link.kind = \"dcf\""))
    } else {
        Ok(())
    }
}

/// What depends on how many radios there are: the link must serve them, and the run must end while the event queue can
/// still tell instants from never.
pub(crate) fn radios(it: &Resolved, at: &Locator<'_>) -> Outcome {
    let (stations, duration) = (it.stations(), it.config.run.duration);
    if let Some(message) = it.config.link.kind.needs_one_radio().filter(|_| stations.are_several()) {
        let of_group = it.config.node.iter().position(|group| group.radio.len() > 1);
        let other = if it.config.radio.is_empty() { "channels.list" } else { "radio.0.channel" };
        let key = of_group.map_or_else(|| other.to_owned(), |index| format!("node.{index}.radio"));
        return Err(at.error(&key, message, "name one channel, or set link.kind = \"dcf\""));
    }
    let by_link = it.config.channels.as_ref().is_some_and(|it| it.plan == ChannelPlan::ByLink);
    if by_link && it.config.moves(&it.nodes) {
        let message = "the plan \"by-link\" gives channels to links, and links come and go where nodes move";
        return Err(at.error("channels.plan", message, "choose plan = \"all\", or let the nodes stay"));
    }
    let (nodes, radios) = (it.nodes.len(), stations.count());
    let longest = Dur::from_secs(EventQueue::horizon(radios, it.flows.len()).as_ns() / 1_000_000_000);
    let rule = format_args!("be at most {longest} with {nodes} nodes");
    at.section("run", must(duration <= longest, "duration", duration, rule))
}
