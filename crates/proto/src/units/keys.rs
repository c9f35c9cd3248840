//! Keys of a section: doc comment, type, default and range of each are stated once, at its field.

/// Declares the configuration of a section: the struct, how it is read, its `Default`, and `check`.
///
/// Each field has its default after `=`, and after `=>` the rule that its value must keep, if it has one: a function of
/// [`crate::units::rules`], with its bounds. A rule that needs a second key stands in `also`, after the fields; `check`
/// runs it last.
///
/// ```
/// use multihop_proto::units::range::{Checked, must};
///
/// multihop_proto::keys! {
///     /// Retries.
///     #[derive(Clone, Debug)]
///     pub struct RetryConfig {
///         /// Most attempts.
///         pub short_limit: u32 = 7 => within(1, 255),
///         /// Most attempts of long frames.
///         pub long_limit: u32 = 4,
///     }
///     also(its) {
///         must(its.long_limit <= its.short_limit, "long-limit", its.long_limit, "be at most `short-limit`")
///     }
/// }
///
/// let config = RetryConfig { short_limit: 0, ..RetryConfig::default() };
/// assert_eq!(config.check().unwrap_err().key, "short-limit");
/// ```
#[macro_export]
macro_rules! keys {
    (
        $(#[$about:meta])* $vis:vis struct $name:ident { $(
            $(#[$doc:meta])* $access:vis $field:ident : $kind:ty = $default:expr
            $(=> $rule:ident $(( $($bound:expr),* $(,)? ))?)?
        ),+ $(,)? }
        $(also($its:ident) $also:block)?
    ) => {
        $(#[$about])*
        #[derive(::serde::Serialize, ::serde::Deserialize, ::schemars::JsonSchema)]
        #[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
        $vis struct $name { $( $(#[$doc])* $access $field: $kind, )+ }

        impl Default for $name {
            fn default() -> Self {
                Self { $( $field: $default, )+ }
            }
        }

        impl $name {
            /// Whether every value can be used.
            ///
            /// # Errors
            /// The first that cannot.
            $vis fn check(&self) -> $crate::units::range::Checked {
                $($(
                    $crate::units::rules::$rule(stringify!($field), &self.$field $($(, $bound)*)?)
                        .map_err($crate::units::range::Wrong::as_written)?;
                )?)+
                $crate::keys!(@also self $($its $also)?)
            }
        }

        impl $crate::units::range::Check for $name {
            fn check(&self) -> $crate::units::range::Checked {
                self.check()
            }
        }
    };
    (@also $this:tt) => { Ok(()) };
    (@also $this:tt $its:ident $also:block) => {{ let $its = $this; $also }};
}
