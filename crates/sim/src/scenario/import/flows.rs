//! Lists of flows: `source:destination:start`, start in seconds, with commas or line ends between them.

use super::super::ScenarioError;
use super::super::tree::{LayerSource, Node, Value};
use super::track::{at, instant, lines, number, wrong};
use std::sync::Arc;

/// The ends and the start of each flow.
pub(super) fn parse(text: &str, source: &Arc<LayerSource>) -> Result<Vec<Node>, ScenarioError> {
    let mut flows = Vec::new();
    for (line, content) in lines(text) {
        for one in content.split(',').map(str::trim).filter(|one| !one.is_empty()) {
            let parts: Vec<&str> = one.split(':').map(str::trim).collect();
            let [from, to, start] = parts[..] else {
                let help = "write source:destination:start, like 3:7:10.5";
                return Err(wrong(source, line, format!("`{one}` is no flow")).help(help));
            };
            let start = instant(number(start, source, line)?, source, line)?;
            let text = |value: &str| Node::new(Value::Text(value.to_owned()), at(source, line));
            let entries =
                [("from", text(from)), ("to", text(to)), ("start", text(&format!("{} ns", start.as_ns())))];
            let entries = entries.map(|(key, node)| (key.to_owned(), node));
            flows.push(Node::new(Value::Table(entries.into_iter().collect()), at(source, line)));
        }
    }
    if flows.is_empty() {
        return Err(ScenarioError::of(source.file(), "the list has no flow").key("flow"));
    }
    Ok(flows)
}
