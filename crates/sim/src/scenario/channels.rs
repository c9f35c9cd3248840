//! Channels of all radios by a rule: `[channels]`.

use std::collections::BTreeMap;

use super::group::{FIRST_CHANNEL, MOST_RADIOS, channel};
use multihop_proto::units::range::{Checked, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Radios of the nodes that `[[node]]` gives none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ChannelsConfig {
    /// How nodes get their channels.
    pub plan: ChannelPlan,
    /// The channels, in the order in which the plan takes them.
    pub list: Vec<u16>,
}

/// How nodes get their channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ChannelPlan {
    /// In the order of the nodes, each shares one channel with the next: the first link has the first channel, the
    /// second link the second, and so on, again from the first after the last. A node inside the row has two radios.
    Alternate,
    /// Each link has one channel of the list: the one that fewest other links of its two nodes have. A node has a radio
    /// for each channel of its links. Nodes must stay where they are.
    ByLink,
    /// Every node has one radio on each channel.
    All,
}

impl ChannelsConfig {
    /// Whether every value can be used.
    ///
    /// # Errors
    /// The first that cannot.
    pub fn check(&self) -> Checked {
        if self.list.is_empty() {
            return Err(Wrong::says(
                "list",
                "`channels.list` is empty: a plan without channels",
                "name some, like list = [36, 149]",
            ));
        }
        if self.list.len() > MOST_RADIOS && self.plan != ChannelPlan::Alternate {
            let what = format!("a node has at most {MOST_RADIOS} radios");
            return Err(Wrong::says("list", what, "name fewer channels"));
        }
        for (place, &number) in self.list.iter().enumerate() {
            channel(&format!("list.{place}"), number)?;
            if self.list[..place].contains(&number) {
                let what = format!("channel {number} stands twice in the list");
                return Err(Wrong::says(format!("list.{place}"), what, "name each channel once"));
            }
        }
        Ok(())
    }

    /// A channel for each of these links, which join nodes by their places: one that no other link of the two nodes
    /// has, or that as few as possible have; of such channels the one that the fewest links have, and of these the
    /// first.
    pub(super) fn by_link(&self, links: &[(usize, usize)]) -> Vec<u16> {
        let mut own: BTreeMap<(usize, u16), usize> = BTreeMap::new();
        let mut all: BTreeMap<u16, usize> = BTreeMap::new();
        let mut channels = Vec::with_capacity(links.len());
        for &(one, other) in links {
            let at = |node, channel| own.get(&(node, channel)).copied().unwrap_or(0);
            let cost = |&&channel: &&u16| (at(one, channel) + at(other, channel), all.get(&channel).copied());
            let channel = self.list.iter().min_by_key(cost).copied().unwrap_or(FIRST_CHANNEL);
            for node in [one, other] {
                *own.entry((node, channel)).or_default() += 1;
            }
            *all.entry(channel).or_default() += 1;
            channels.push(channel);
        }
        channels
    }

    /// The channels of a node, by its place in the row of so many nodes; `links` are the channels of its links.
    pub(super) fn of(&self, place: usize, nodes: usize, links: &[u16]) -> Vec<u16> {
        let link = |number: usize| self.list[number % self.list.len()];
        match self.plan {
            ChannelPlan::All => self.list.clone(),
            ChannelPlan::ByLink if links.is_empty() => vec![link(0)],
            ChannelPlan::ByLink => {
                self.list.iter().copied().filter(|channel| links.contains(channel)).collect()
            }
            ChannelPlan::Alternate => {
                let before = place.checked_sub(1).map(link);
                let next = (place + 1 < nodes || place == 0).then(|| link(place));
                let mut channels: Vec<u16> = before.into_iter().chain(next).collect();
                channels.dedup();
                channels
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_in_a_row_share_the_channel_of_their_link() {
        let plan = ChannelsConfig { plan: ChannelPlan::Alternate, list: vec![36, 149, 11] };
        let channels: Vec<Vec<u16>> = (0..5).map(|place| plan.of(place, 5, &[])).collect();
        assert_eq!(channels, [vec![36], vec![36, 149], vec![149, 11], vec![11, 36], vec![36]]);
        let one = ChannelsConfig { plan: ChannelPlan::Alternate, list: vec![36] };
        assert_eq!([one.of(0, 2, &[]), one.of(1, 2, &[]), one.of(0, 1, &[])], [vec![36], vec![36], vec![36]]);
    }

    #[test]
    fn links_of_one_node_have_channels_of_their_own() {
        let plan = ChannelsConfig { plan: ChannelPlan::ByLink, list: vec![36, 149] };
        let star = plan.by_link(&[(0, 1), (0, 2), (0, 3), (0, 4)]);
        assert_eq!(star, [36, 149, 36, 149]);
        assert_eq!(plan.by_link(&[(0, 1), (1, 2), (2, 3), (3, 0)]), [36, 149, 36, 149], "a ring");
        assert_eq!(
            [plan.of(1, 4, &[149, 149]), plan.of(0, 4, &[149, 36]), plan.of(9, 10, &[])],
            [vec![149], vec![36, 149], vec![36]]
        );
    }

    #[test]
    fn a_plan_names_each_channel_once() {
        let plan = |list: &[u16]| ChannelsConfig { plan: ChannelPlan::All, list: list.to_vec() };
        assert!(plan(&[36, 149]).check().is_ok());
        for wrong in [&[][..], &[36, 36], &[0], &[234], &[1, 2, 3, 4, 5, 6, 7, 8, 9]] {
            assert!(plan(wrong).check().is_err(), "{wrong:?}");
        }
    }
}
