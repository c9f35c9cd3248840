//! Where the values of a TOML document stand, for readers that are not written in Rust.

use std::sync::Arc;

use super::error::ScenarioError;
use super::tree::{LayerSource, Node};

/// The dotted path of every value of a document, tables and lists included, with the line of its key, from 1. In a
/// list places count from 0 (`claim.0.value.metric`).
///
/// # Errors
/// What is not TOML, with its place.
pub fn places(text: &str, file: &str) -> Result<Vec<(String, u32)>, ScenarioError> {
    let source = Arc::new(LayerSource::File(file.to_owned()));
    let mut found = Vec::new();
    Node::parse(text, &source)?.visit("", &mut |path, node| found.push((path.to_owned(), node.key_at.line)));
    Ok(found)
}

/// Refuses a document that is nested too deep for any reader, before one reads it.
///
/// # Errors
/// Where it goes too deep. Whether it is TOML is not asked.
pub fn check_depth(text: &str, file: &str) -> Result<(), ScenarioError> {
    Node::check_depth(text, &Arc::new(LayerSource::File(file.to_owned())))
}

#[cfg(test)]
mod tests {
    use super::{check_depth, places};

    #[test]
    fn what_is_nested_too_deep_says_where() {
        for text in
            [format!("a = 1\nx = {}", "[".repeat(200_000)), format!("a = 1\na{} = 1", ".a".repeat(1_000_000))]
        {
            let told = check_depth(&text, "f.toml").expect_err("too deep").to_string();
            assert!(told.starts_with("f.toml:2:") && told.contains("more than 32 deep"), "{told}");
            assert_eq!(places(&text, "f.toml").expect_err("too deep").to_string(), told);
        }
        assert_eq!(check_depth("not = TOML = at all", "f.toml"), Ok(()));
    }

    #[test]
    fn every_value_has_the_line_of_its_key() {
        let text =
            "a = 1\n\n[[claim]]\nid = 'x'\n[[claim]]\nid = 'y'\nvalue = { m = [1,\n 2] }\n[claim.gain]\n";
        let found = places(text, "f.toml").expect("valid");
        let line = |path: &str| found.iter().find(|(known, _)| known == path).map(|&(_, line)| line);
        assert_eq!(line("a"), Some(1));
        assert_eq!((line("claim.0"), line("claim.1"), line("claim.0.id")), (Some(3), Some(5), Some(4)));
        assert_eq!((line("claim.1.value.m"), line("claim.1.value.m.1")), (Some(7), Some(8)));
        assert_eq!(line("claim.1.gain"), Some(9));
    }

    #[test]
    fn what_is_not_toml_says_where() {
        let error = places("a = 1\nb = \n", "f.toml").expect_err("not TOML");
        assert!(error.to_string().contains("f.toml:2"), "{error}");
    }
}
