//! The causes of drops as results have them, described for Python: `multihop explain`, the glossary, the reference.

use multihop_proto::wire::DropReason;
use multihop_proto::wire::causes::{Class, DropCause, causes};
use serde_json::{Value, json};

use super::losses::{ACK_LOST, DELAYED, DELIVERED, REPAIR_DELAYED, REPAIR_DELIVERED};

/// What a TCP loss was where the segment had arrived or was still on its way; as [`Class::words`].
const NO_LOSS: (&str, &str, &str) = ("no loss", "nothing was lost, the segment or its ACK was only late", "");
/// What a TCP loss was where a repair of the segment had arrived or was still on its way.
const LATE_REPAIR: (&str, &str, &str) =
    ("late repair", "the segment had been lost, and its repair or the ACK of that was only late", "");
/// What a TCP loss was where the segment had arrived.
const ONLY_ACK: (&str, &str, &str) =
    ("lost acknowledgement", "the segment had arrived, and only its ACK was lost", "");

/// All causes and classes of causes as one JSON object, and what a TCP loss was where its segment was not dropped.
#[must_use]
pub fn described() -> String {
    let classes = Class::ALL.map(Class::words).into_iter().chain([NO_LOSS, LATE_REPAIR, ONLY_ACK]);
    let class = |(name, was, slotted)| json!({ "name": name, "was": was, "slotted": slotted });
    let classes: Vec<_> = classes.map(class).collect();
    let fates = [
        json!({ "name": DELIVERED, "class": NO_LOSS.0 }),
        json!({ "name": DELAYED, "class": NO_LOSS.0 }),
        json!({ "name": REPAIR_DELIVERED, "class": LATE_REPAIR.0 }),
        json!({ "name": REPAIR_DELAYED, "class": LATE_REPAIR.0 }),
        json!({ "name": ACK_LOST, "class": ONLY_ACK.0 }),
    ];
    let causes: Vec<_> = causes().map(|(facts, reasons)| row(facts, &reasons)).collect();
    json!({ "causes": causes, "classes": classes, "fates": fates }).to_string()
}

fn row(facts: &DropCause, reasons: &[DropReason]) -> Value {
    let [meaning, slotted, source] = [facts.meaning, facts.slotted, facts.source].map(str::trim);
    json!({
        "name": facts.name(), "class": facts.class.words().0, "layer": facts.layer.label(), "links": facts.links.label(),
        "reasons": reasons.iter().map(|reason| reason.label()).collect::<Vec<_>>(),
        "meaning": meaning, "slotted": slotted, "source": source,
    })
}
