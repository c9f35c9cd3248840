//! Counters of a machine: declared once, with the public name under which each is reported.

use super::Dur;

/// What can be reported as a count.
pub trait Count {
    /// The count: of a time, whole milliseconds.
    fn count(self) -> u64;
}

impl Count for u64 {
    fn count(self) -> u64 {
        self
    }
}

impl Count for Dur {
    fn count(self) -> u64 {
        self.as_ns() / 1_000_000
    }
}

/// Declares the counters of a machine: the struct, `NAMES`, and `each`, which reports every counter by its name.
///
/// A field without a type is a `u64`. A field without a name is not reported by `each`.
///
/// ```text
/// counters! {
///     /// What a station has done.
///     pub struct Counters {
///         /// RTS frames sent.
///         pub rts = "mac.rts",
///         /// Time for which it was frozen; reported in milliseconds.
///         pub frozen: Dur = "mac.frozen-ms",
///         /// Time spent sending.
///         pub airtime: Dur,
///     }
/// }
/// ```
macro_rules! counters {
    ($(#[$about:meta])* $vis:vis struct $name:ident {
        $( $(#[$doc:meta])* $access:vis $field:ident $(: $kind:ty)? $(= $told:literal)? ),+ $(,)?
    }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        $vis struct $name { $( $(#[$doc])* $access $field: $crate::units::counters!(@kind $($kind)?) ),+ }

        impl $name {
            /// Public names, in the order of the fields.
            #[allow(dead_code, reason = "only optional machines have their names listed beforehand")]
            $vis const NAMES: [&'static str; <[&str]>::len(&[$($($told,)?)+])] = [$($($told,)?)+];

            /// Reports every counter that has a public name.
            $vis fn each(&self, tell: &mut (impl FnMut(&'static str, u64) + ?Sized)) {
                $($( tell($told, $crate::units::Count::count(self.$field)); )?)+
            }
        }
    };
    (@kind) => { u64 };
    (@kind $kind:ty) => { $kind };
}
pub(crate) use counters;

#[cfg(test)]
mod tests {
    use super::*;

    counters! {
        /// Counters of a toy.
        struct Toy {
            /// Frames sent.
            frames = "toy.frames",
            /// Not reported.
            bits: u64,
            /// Time lost.
            lost: Dur = "toy.lost-ms",
        }
    }

    #[test]
    fn each_reports_a_field_under_the_name_beside_it() {
        let toy = Toy { frames: 3, bits: 9, lost: Dur::from_us(2_500) };
        let mut told = Vec::new();
        let tell: &mut dyn FnMut(&'static str, u64) = &mut |name, n| told.push((name, n));
        toy.each(tell);
        assert_eq!(told, [("toy.frames", 3), ("toy.lost-ms", 2)]);
        assert_eq!((Toy::NAMES, toy.bits), (["toy.frames", "toy.lost-ms"], 9));
    }
}
