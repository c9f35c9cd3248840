//! Which window rules have phases, and which: what series count.

use super::bbr::Mode;
use super::bbr_draft::State;
use super::phase::Phase;
use crate::tcp::config::Window;

/// The rules that have phases, and these in the order of their numbers, from 1 on.
#[must_use]
pub fn phases() -> [(Window, Vec<Phase>); 2] {
    [
        (Window::Bbr, Mode::ALL.map(Mode::phase).to_vec()),
        (Window::BbrDraft, State::ALL.map(State::phase).to_vec()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lists are in the order of the numbers, which series have.
    #[test]
    fn phases_stand_in_the_order_of_their_numbers() {
        assert_eq!(Mode::ALL.map(Mode::number), [1, 2, 3, 4]);
        assert_eq!(State::ALL.map(State::number), [1, 2, 3, 4, 5, 6, 7]);
    }

    /// A name means one thing, whichever rule has it, and a rule has it once.
    #[test]
    fn a_name_means_one_thing() {
        let [(_, one), (_, other)] = phases();
        for phase in &one {
            assert!(other.iter().all(|it| it.name != phase.name || it == phase), "{}", phase.name);
        }
        for of_rule in [&one, &other] {
            let mut names: Vec<_> = of_rule.iter().map(|phase| phase.name).collect();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), of_rule.len());
        }
    }
}
