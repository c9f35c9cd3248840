//! How deep tables and lists are nested, before a document is read: reading, and all that comes after it, goes as deep.

/// Deepest nesting that a document may have: a place in a list of waypoints of a node is at 5.
pub(super) const DEEPEST: usize = 32;

/// Where a TOML document goes deeper than that, by brackets, braces and dotted keys; none if it does not. What is no
/// TOML is for its reader to say.
pub(super) fn too_deep(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    // Dots of the key that leads to each bracket that is open, and of the key that is read.
    let (mut open, mut total, mut dots): (Vec<usize>, usize, usize) = (Vec::new(), 0, 0);
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'#' => {
                at =
                    bytes[at..].iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |end| at + end) - 1
            }
            quote @ (b'"' | b'\'') => at = end_of_string(bytes, at, quote),
            b'[' | b'{' => {
                open.push(dots);
                total += dots + 1;
                dots = 0;
            }
            b']' | b'}' => {
                total -= open.pop().map_or(0, |dots| dots + 1);
                dots = 0;
            }
            b'.' => dots += 1,
            b',' | b'\n' => dots = 0,
            _ => {}
        }
        if total + dots > DEEPEST {
            return Some(at);
        }
        at += 1;
    }
    None
}

/// The last byte of the string that begins at a byte, in single or triple quotes.
fn end_of_string(bytes: &[u8], begin: usize, quote: u8) -> usize {
    let triple = bytes[begin..].starts_with(&[quote; 3]);
    let mut at = begin + if triple { 3 } else { 1 };
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if quote == b'"' => at += 1,
            b'\n' if !triple => return at - 1, // it has no end, which its reader says
            byte if byte == quote && !triple => return at,
            _ if triple && bytes[at..].starts_with(&[quote; 3]) => return at + 2,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::{DEEPEST, too_deep};

    #[test]
    fn brackets_braces_and_dots_count() {
        for (opening, closing) in [("[", "]"), ("{a=", "}"), ("{a.b=[", "]}")] {
            let deep = |levels: usize| format!("x = {}1{}", opening.repeat(levels), closing.repeat(levels));
            assert_eq!(too_deep(&deep(DEEPEST / 3)), None, "{opening}");
            assert!(too_deep(&deep(DEEPEST + 1)).is_some(), "{opening}");
            assert!(too_deep(&format!("x = {}", opening.repeat(100_000))).is_some(), "{opening}");
        }
        assert_eq!(too_deep(&format!("a{} = 1", ".a".repeat(DEEPEST))), None);
        assert_eq!(too_deep(&format!("b = 1\na{} = 1", ".a".repeat(DEEPEST + 1))), Some(6 + 1 + 2 * DEEPEST));
        assert!(too_deep(&format!("[a{}]\nb = 1", ".a".repeat(DEEPEST))).is_some());
    }

    #[test]
    fn what_is_quoted_or_a_comment_does_not_count() {
        let many = "[{.".repeat(100);
        for text in [
            format!("x = \"{many}\\\"{many}\" # {many}\ny = '{many}'"),
            format!("x = \"\"\"{many}\n\"{many}\"\"\"\nz = '''\n{many}'''\n# {many}"),
            format!("# {many}"),
            format!("x = [{}]", "1.5, ".repeat(1000)),
            "a.b = [[1.5], {c.d = 2.0}]\n".repeat(100),
        ] {
            assert_eq!(too_deep(&text), None, "{text}");
        }
    }
}
