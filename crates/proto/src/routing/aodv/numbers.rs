//! The sequence number of a node (RFC 3561 §6.1).

use super::config::Sequencing;
use super::table::newer;

/// The number, and the rule by which it rises. A node keeps it while it is down.
#[derive(Clone, Debug)]
pub(super) struct OwnNumber {
    rule: Sequencing,
    number: u32,
}

impl OwnNumber {
    pub(super) const fn new(rule: Sequencing) -> Self {
        let number = match rule {
            Sequencing::Rfc => 0,
            Sequencing::Even => 2,
        };
        Self { rule, number }
    }

    /// As it is now.
    pub(super) const fn get(&self) -> u32 {
        self.number
    }

    /// The one of the next request.
    pub(super) const fn for_request(&mut self) -> u32 {
        self.number = self.number.wrapping_add(match self.rule {
            Sequencing::Rfc => 1,
            Sequencing::Even => 2,
        });
        self.number
    }

    /// The one of a reply to a request that asks for a route with this number at least.
    pub(super) fn for_reply(&mut self, asked: Option<u32>) -> u32 {
        let least = asked.filter(|&asked| newer(asked, self.number)).unwrap_or(self.number);
        self.number = match self.rule {
            Sequencing::Rfc => least,
            Sequencing::Even => (least.wrapping_add(2)) & !1,
        };
        self.number
    }

    /// A link to a neighbour is broken.
    pub(super) const fn link_broken(&mut self) {
        if let Sequencing::Even = self.rule {
            self.number = self.number.wrapping_add(2);
        }
    }
}
