//! Exact decimal numbers: the bridge between text and integers or `f64` without rounding twice.

use std::fmt::Write as _;

/// `±digits × 10^exponent`, `digits` without trailing zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    pub(super) negative: bool,
    digits: u128,
    exponent: i32,
}

/// Why a decimal is not a whole number of the smallest unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NotWhole {
    Fraction,
    TooLarge,
}

impl Decimal {
    /// Splits `text` into its leading decimal number and the rest. `None` without a number.
    pub(super) fn split(text: &str) -> Option<(Self, &str)> {
        let bytes = text.as_bytes();
        let (mut at, mut digits, mut exponent) = (0, 0_u128, 0_i32);
        let negative = bytes.first() == Some(&b'-');
        if matches!(bytes.first(), Some(b'-' | b'+')) {
            at += 1;
        }
        let (mut seen, mut point) = (false, false);
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b'0'..=b'9' => {
                    seen = true;
                    digits = digits.checked_mul(10)?.checked_add(u128::from(byte - b'0'))?;
                    exponent -= i32::from(point);
                }
                b'.' if !point => point = true,
                _ => break,
            }
            at += 1;
        }
        if !seen {
            return None;
        }
        if let Some((power, length)) = power_of_ten(&bytes[at..]) {
            exponent = exponent.checked_add(power)?;
            at += length;
        }
        Some((Self { negative, digits, exponent }.normalised(), &text[at..]))
    }

    pub(super) fn from_u64(value: u64) -> Self {
        Self { negative: false, digits: u128::from(value), exponent: 0 }.normalised()
    }

    /// The shortest decimal that reads back as `value`, which must be finite.
    pub(super) fn from_f64(value: f64) -> Self {
        let shortest = format!("{value:e}");
        Self::split(&shortest).map_or(Self { negative: false, digits: 0, exponent: 0 }, |(it, _)| it)
    }

    fn normalised(mut self) -> Self {
        if self.digits == 0 {
            return Self { negative: false, digits: 0, exponent: 0 };
        }
        while self.digits.is_multiple_of(10) {
            self.digits /= 10;
            self.exponent += 1;
        }
        self
    }

    /// The value times `10^power`.
    pub(super) fn shifted(self, power: i32) -> Self {
        if self.digits == 0 {
            return self;
        }
        Self { exponent: self.exponent.saturating_add(power), ..self }
    }

    /// The value times `factor`; `None` beyond 128 bits.
    pub(super) fn times(self, factor: u64) -> Option<Self> {
        Some(Self { digits: self.digits.checked_mul(u128::from(factor))?, ..self }.normalised())
    }

    /// The magnitude as a whole number.
    pub(super) fn to_u64(self) -> Result<u64, NotWhole> {
        if self.exponent < 0 && self.digits != 0 {
            return Err(NotWhole::Fraction);
        }
        let scale = 10_u128.checked_pow(self.exponent.unsigned_abs()).ok_or(NotWhole::TooLarge)?;
        let whole = self.digits.checked_mul(scale).ok_or(NotWhole::TooLarge)?;
        u64::try_from(whole).map_err(|_| NotWhole::TooLarge)
    }

    /// The nearest `f64`; infinite when out of range.
    pub(super) fn to_f64(self) -> f64 {
        let sign = if self.negative { "-" } else { "" };
        format!("{sign}{}e{}", self.digits, self.exponent).parse().unwrap_or(f64::INFINITY)
    }

    /// Plain notation, or exponent notation where that is shorter and the plain one hard to read.
    pub(super) fn shortest(self) -> String {
        let digits = self.digits.to_string();
        let sign = if self.negative { "-" } else { "" };
        let length = i32::try_from(digits.len()).unwrap_or(i32::MAX);
        let power = self.exponent.saturating_add(length - 1);
        let mut scientific = format!("{sign}{}", &digits[..1]);
        if digits.len() > 1 {
            let _ = write!(scientific, ".{}", &digits[1..]);
        }
        let _ = write!(scientific, "e{power}");
        if power.abs() > 24 {
            return scientific;
        }
        let plain = if self.exponent >= 0 {
            format!("{sign}{digits}{}", "0".repeat(self.exponent.unsigned_abs() as usize))
        } else if power >= 0 {
            let (whole, fraction) = digits.split_at(power.unsigned_abs() as usize + 1);
            format!("{sign}{whole}.{fraction}")
        } else {
            format!("{sign}0.{}{digits}", "0".repeat(power.unsigned_abs() as usize - 1))
        };
        if plain.len() <= scientific.len().max(10) { plain } else { scientific }
    }
}

/// Reads `e-3` and the like; a lone `e` may be the beginning of a unit and is left alone.
fn power_of_ten(bytes: &[u8]) -> Option<(i32, usize)> {
    if !matches!(bytes.first(), Some(b'e' | b'E')) {
        return None;
    }
    let sign = usize::from(matches!(bytes.get(1), Some(b'-' | b'+')));
    let length = bytes[1 + sign..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    if length == 0 || length > 4 {
        return None;
    }
    let text = std::str::from_utf8(&bytes[1..1 + sign + length]).ok()?;
    Some((text.parse().ok()?, 1 + sign + length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Decimal {
        Decimal::split(text).expect("a number").0
    }

    #[test]
    fn splits_number_and_unit() {
        assert_eq!(
            Decimal::split("1.50 ms").map(|(it, rest)| (it.shortest(), rest)),
            Some(("1.5".into(), " ms"))
        );
        assert_eq!(Decimal::split("3.652e-10W").map(|(_, rest)| rest), Some("W"));
        assert_eq!(Decimal::split("5 e").map(|(_, rest)| rest), Some(" e"));
        assert_eq!(Decimal::split("us"), None);
        assert_eq!(Decimal::split("-."), None);
    }

    #[test]
    fn shortest_form_is_plain_until_exponents_are_shorter() {
        for (text, expected) in [
            ("100", "100"),
            ("0.5", "0.5"),
            ("1559e-14", "1.559e-11"),
            ("0", "0"),
            ("1e6", "1000000"),
            ("1e15", "1e15"),
        ] {
            assert_eq!(read(text).shortest(), expected);
        }
    }

    #[test]
    fn whole_numbers_are_exact() {
        assert_eq!(read("1.5").shifted(9).to_u64(), Ok(1_500_000_000));
        assert_eq!(read("0.1").to_u64(), Err(NotWhole::Fraction));
        assert_eq!(read("1e30").to_u64(), Err(NotWhole::TooLarge));
    }
}
