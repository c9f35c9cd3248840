//! All figures, for programs that show them.

use serde_json::Value;

use super::{FLOW, NODE, RUN};

/// All figures as a JSON list, for programs that show them.
#[must_use]
pub fn described() -> String {
    let flow = FLOW.iter().map(|figure| figure.described("flow"));
    let node = NODE.iter().map(|figure| figure.described("node"));
    let run = RUN.iter().map(|figure| figure.described("run"));
    Value::Array(flow.chain(node).chain(run).collect()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_figure_has_a_name_of_its_own_and_tells_what_it_means() {
        let all: Vec<Value> = serde_json::from_str(&described()).expect("JSON");
        let mut names: Vec<_> = all.iter().map(|it| (it["of"].to_string(), it["name"].to_string())).collect();
        assert_eq!(all.len(), FLOW.len() + NODE.len() + RUN.len());
        names.sort();
        names.dedup();
        assert_eq!(names.len(), all.len());
        assert!(all.iter().all(|it| it["meaning"].as_str().is_some_and(|text| text.ends_with('.'))));
    }
}
