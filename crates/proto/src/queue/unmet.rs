//! Which keys of `[queue]` mean nothing under the others.

use super::config::{AqmKind, ClassBy, QueueConfig, Service};

impl QueueConfig {
    /// What would have to be set for a key of the section to mean something, if it does not now.
    #[must_use]
    pub fn unmet(&self, key: &str) -> Option<&'static str> {
        let classes = self.service.has_classes();
        let (used, needed) = match key.split('.').next().unwrap_or(key) {
            "class-by" | "class-limit" => {
                (classes, "queue.service = \"drr\", \"fq\", \"airtime\" or \"priority\"")
            }
            "queues" => (
                classes && self.class_by == ClassBy::Flow,
                "queue.class-by = \"flow\" and queue.service = \"drr\", \"fq\" or \"airtime\"",
            ),
            "hash-seed" => (
                classes && self.class_by == ClassBy::Flow && self.queues.is_some(),
                "queue.queues and what that needs",
            ),
            "quantum" => (self.service.has_turns(), "queue.service = \"drr\", \"fq\" or \"airtime\""),
            "airtime" => (self.service == Service::Airtime, "queue.service = \"airtime\""),
            "aqm-by" => {
                (self.aqm != AqmKind::Tail, "queue.aqm = \"red\", \"link-red\", \"codel\" or \"pie\"")
            }
            "red" => (self.aqm == AqmKind::Red, "queue.aqm = \"red\""),
            "link-red" => (self.aqm == AqmKind::LinkRed, "queue.aqm = \"link-red\""),
            "codel" => (self.aqm == AqmKind::Codel, "queue.aqm = \"codel\""),
            "pie" => (self.aqm == AqmKind::Pie, "queue.aqm = \"pie\""),
            "routing-order" => (self.routing_priority, "queue.routing-priority = true"),
            _ => return None,
        };
        (!used).then_some(needed)
    }
}
