//! A phase of a window rule: what [`super::RuleView::phase`] counts.

/// A phase of a window rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phase {
    /// Its name, as the source of the rule has it.
    pub name: &'static str,
    /// What the rule does in it, in one sentence.
    pub meaning: &'static str,
    /// Whether the rule leaves it once it knows the path.
    pub begins: bool,
}

impl Phase {
    /// A phase of a rule that knows the path.
    pub(super) const fn later(name: &'static str, meaning: &'static str) -> Self {
        Self { name, meaning, begins: false }
    }
}
