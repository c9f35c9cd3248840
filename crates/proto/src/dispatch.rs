//! Static dispatch over the members of a set.

/// Declares the enum of a set, whose variants each hold one member, and implements the contract's trait for it. A call
/// goes to the member by a `match`, as if written by hand: no virtual call, except for a member that is a `Box<dyn
/// Trait>`. A generic method is compiled for each caller, and inlined there.
///
/// ```ignore
/// dispatch! {
///     /// One shim of the set.
///     #[derive(Debug)]
///     pub enum AnyShim: Shim { None(NoShim), Elfn(Elfn), Custom(Box<dyn Shim>) }
///
///     fn handle(&mut self, input: Input) -> Verdict;
/// }
/// ```
/// becomes the enum and
/// ```ignore
/// impl Shim for AnyShim {
///     fn handle(&mut self, input: Input) -> Verdict {
///         match self {
///             AnyShim::None(member) => member.handle(input),
///             AnyShim::Elfn(member) => member.handle(input),
///             AnyShim::Custom(member) => member.handle(input),
///         }
///     }
/// }
/// ```
macro_rules! dispatch {
    ($(#[$attribute:meta])* $visible:vis enum $Set:ident: $Trait:ident $members:tt $($methods:tt)+) => {
        dispatch!(@enum [$(#[$attribute])* $visible enum $Set] $members);
        impl $Trait for $Set {
            dispatch!(@methods $Set $members $($methods)+);
        }
    };
    (@enum [$($head:tt)+] { $($(#[$doc:meta])* $Member:ident($Held:ty)),+ $(,)? }) => {
        $($head)+ { $($(#[$doc])* $Member($Held)),+ }
    };
    (@methods $Set:ident $members:tt) => {};
    (@methods $Set:ident $members:tt
        fn $name:ident<$($Generic:ident: $Bound:path),+>(&mut $this:ident $(, $arg:ident: $Arg:ty)* $(,)?); $($more:tt)*
    ) => {
        #[inline(always)]
        fn $name<$($Generic: $Bound),+>(&mut $this $(, $arg: $Arg)*) {
            dispatch!(@match $this $Set $members $name ($($arg),*))
        }
        dispatch!(@methods $Set $members $($more)*);
    };
    (@methods $Set:ident $members:tt
        fn $name:ident$(<$life:lifetime>)?(&mut $this:ident $(, $arg:ident: $Arg:ty)* $(,)?) $(-> $Answer:ty)?; $($more:tt)*
    ) => {
        #[inline(always)]
        fn $name$(<$life>)?(&mut $this $(, $arg: $Arg)*) $(-> $Answer)? {
            dispatch!(@match $this $Set $members $name ($($arg),*))
        }
        dispatch!(@methods $Set $members $($more)*);
    };
    (@methods $Set:ident $members:tt
        fn $name:ident$(<$life:lifetime>)?(&$this:ident $(, $arg:ident: $Arg:ty)* $(,)?) $(-> $Answer:ty)?; $($more:tt)*
    ) => {
        #[inline]
        fn $name$(<$life>)?(&$this $(, $arg: $Arg)*) $(-> $Answer)? {
            dispatch!(@match $this $Set $members $name ($($arg),*))
        }
        dispatch!(@methods $Set $members $($more)*);
    };
    (@match $this:ident $Set:ident { $($(#[$doc:meta])* $Member:ident($Held:ty)),+ $(,)? } $name:ident $args:tt) => {
        match $this {
            $($Set::$Member(member) => member.$name $args),+
        }
    };
}
