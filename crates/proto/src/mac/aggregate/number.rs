//! Sequence numbers: 12 bits, so that of two numbers one is ahead of the other by less than half of them.

/// How many numbers there are.
const NUMBERS: u16 = 4096;

/// How far a number is ahead of another one, 0 to 4095.
pub(super) const fn ahead(number: u16, of: u16) -> u16 {
    number.wrapping_sub(of) % NUMBERS
}

/// Whether a number is behind another one.
pub(super) const fn is_behind(number: u16, of: u16) -> bool {
    ahead(number, of) >= NUMBERS / 2
}

/// The number so many after another one.
pub(super) const fn after(number: u16, by: u16) -> u16 {
    number.wrapping_add(by) % NUMBERS
}
