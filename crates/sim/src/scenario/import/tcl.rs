//! Commands of Tcl, as far as files of motion have them: words, in quotes or braces where they hold spaces.

/// The commands of a line: each a list of words, without those of comments.
pub(super) fn statements(line: &str) -> Vec<Vec<&str>> {
    let mut found = Vec::new();
    let mut words = Vec::new();
    let mut rest = line.trim_start();
    while let Some(first) = rest.chars().next() {
        match first {
            '#' if words.is_empty() => break,
            ';' => {
                found.push(std::mem::take(&mut words));
                rest = &rest[1..];
            }
            '"' => rest = quoted(&rest[1..], rest[1..].find('"'), &mut words),
            '{' => rest = quoted(&rest[1..], closing(&rest[1..]), &mut words),
            _ => {
                let end = rest.find([' ', '\t', ';']).unwrap_or(rest.len());
                words.push(&rest[..end]);
                rest = &rest[end..];
            }
        }
        rest = rest.trim_start();
    }
    found.push(words);
    found.retain(|words| !words.is_empty());
    found
}

/// Takes a word until where it ends, or all that is left; returns what follows it.
fn quoted<'a>(text: &'a str, end: Option<usize>, words: &mut Vec<&'a str>) -> &'a str {
    words.push(text[..end.unwrap_or(text.len())].trim());
    end.map_or("", |end| &text[end + 1..])
}

/// Where the brace closes that has been opened.
fn closing(text: &str) -> Option<usize> {
    let mut open = 1;
    text.char_indices().find_map(|(at, letter)| {
        open += match letter {
            '{' => 1,
            '}' => -1,
            _ => 0,
        };
        (open == 0).then_some(at)
    })
}

#[cfg(test)]
mod tests {
    use super::statements;

    #[test]
    fn a_line_has_commands_and_a_command_has_words() {
        assert_eq!(
            statements("$n(0) set X_ 1;$n(0) set Y_ 2 ; "),
            [["$n(0)", "set", "X_", "1"], ["$n(0)", "set", "Y_", "2"]]
        );
        assert_eq!(statements("$ns at 1.0 \"$n(0) on\"; # up"), [["$ns", "at", "1.0", "$n(0) on"]]);
        assert_eq!(statements("\t$ns at 1 {$n(0) label {a b}}"), [["$ns", "at", "1", "$n(0) label {a b}"]]);
        assert_eq!(statements("$ns at 1 \"$n(0) on"), [["$ns", "at", "1", "$n(0) on"]], "to the end");
        assert!(statements("  # nothing").is_empty() && statements(";;").is_empty());
    }
}
