//! Names are what people read: in terminals, tables, file names and figures. What cannot be printed is refused.

use crate::scenario::{Locator, Scenario, ScenarioError, Sources, TopologyConfig};

/// Longest name, in characters.
const LONGEST: usize = 200;

/// Checks every name and line of text that a scenario gives.
pub(crate) fn scenario(config: &Scenario, at: &Locator<'_>) -> Result<(), ScenarioError> {
    if let Some(summary) = &config.summary {
        text("summary", summary, at)?;
    }
    if let TopologyConfig::Explicit(topology) = &config.topology {
        for (index, node) in topology.node.iter().enumerate() {
            name(&format!("topology.node.{index}.name"), &node.name, at)?;
        }
    }
    if let TopologyConfig::Links(topology) = &config.topology {
        for (index, link) in topology.link.iter().enumerate() {
            name(&format!("topology.link.{index}.from"), &link.from, at)?;
            name(&format!("topology.link.{index}.to"), &link.to, at)?;
        }
    }
    for (index, window) in config.measure.window.iter().enumerate() {
        if let Some(given) = &window.name {
            name(&format!("measure.window.{index}.name"), given, at)?;
        }
    }
    for (index, flow) in config.flow.iter().enumerate() {
        if let Some(given) = &flow.name {
            name(&format!("flow.{index}.name"), given, at)?;
        }
    }
    Ok(())
}

/// Checks what the user calls the scenario and the techniques: file names may hold anything.
pub(crate) fn files(sources: &Sources) -> Result<(), ScenarioError> {
    let scenario = ("scenario", sources.scenario.name.clone());
    let techniques = sources.labels().map(|label| ("--technique", label));
    for (what, given) in std::iter::once(scenario).chain(techniques) {
        if let Some(wrong) = unprintable(&given) {
            let file = format!("{what} {}", given.escape_default());
            return Err(
                ScenarioError::of(file, message("the name", wrong)).help("give the file another name")
            );
        }
    }
    Ok(())
}

fn name(path: &str, given: &str, at: &Locator<'_>) -> Result<(), ScenarioError> {
    if given.trim().is_empty() {
        return Err(at.error(path, format!("`{path}` is empty"), "it must be a name"));
    }
    let length = given.chars().count();
    if length > LONGEST {
        let help = format!("at most {LONGEST} are read by anyone");
        return Err(at.error(path, format!("`{path}` has {length} characters"), help));
    }
    text(path, given, at)
}

fn text(path: &str, given: &str, at: &Locator<'_>) -> Result<(), ScenarioError> {
    unprintable(given).map_or(Ok(()), |wrong| {
        let message = message(&format!("`{path}`"), wrong);
        Err(at.error(path, message, "use letters, digits, signs and spaces"))
    })
}

fn message(what: &str, wrong: char) -> String {
    format!("{what} holds U+{:04X}, a character that cannot be printed", u32::from(wrong))
}

/// The first character that is not printed as itself: controls, invisible and direction marks, line separators, what
/// Unicode has not assigned.
fn unprintable(text: &str) -> Option<char> {
    // Behind a letter, so that marks that combine with it pass.
    let shown = |c: char| {
        matches!(c, '\'' | '"' | '\\') || ["a", &c.to_string()].concat().escape_debug().eq(['a', c])
    };
    text.chars().find(|&c| !shown(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_prints_as_itself_passes() {
        for good in ["a", "gate 2", "Zürich", "e\u{301}", "東京", "a\"b'c\\d", "β→γ", "🛰"] {
            assert_eq!(unprintable(good), None, "{good}");
        }
        let bad = [
            "\u{1b}[2J",
            "a\nb",
            "a\tb",
            "\u{7f}",
            "\u{9b}31m",
            "\u{202e}x",
            "\u{200b}",
            "\u{feff}",
            "\u{2028}",
        ];
        for bad in bad {
            assert!(unprintable(bad).is_some(), "{bad:?}");
        }
    }
}
