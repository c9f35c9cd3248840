//! A MAC from outside this crate, behind a pointer.

use std::ops::{Deref, DerefMut};

use super::contract::{Action, Input, Mac};
use crate::contract::{Backlog, Cx, Sink};

/// [`Mac::handle`] for one queue and one sink, so that it can be called through a pointer.
trait Erased: Mac {
    fn handle_erased(
        &mut self,
        cx: &mut Cx<'_>,
        input: Input<'_>,
        behind: &dyn Backlog,
        out: &mut dyn Sink<Action>,
    );
}

impl<M: Mac> Erased for M {
    fn handle_erased(
        &mut self,
        cx: &mut Cx<'_>,
        input: Input<'_>,
        behind: &dyn Backlog,
        out: &mut dyn Sink<Action>,
    ) {
        self.handle(cx, input, &behind, out);
    }
}

/// Any [`Mac`]: experiments and tests.
#[derive(Debug)]
pub struct CustomMac(Box<dyn Erased>);

impl CustomMac {
    /// Puts a machine behind a pointer.
    #[must_use]
    pub fn new(mac: impl Mac + 'static) -> Self {
        Self(Box::new(mac))
    }

    /// [`Mac::handle`].
    #[cold]
    #[inline(never)]
    pub fn handle<B: Backlog, S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        input: Input<'_>,
        behind: &B,
        mut out: S,
    ) {
        self.0.handle_erased(cx, input, behind, &mut out);
    }
}

impl Deref for CustomMac {
    type Target = dyn Mac;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl DerefMut for CustomMac {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut *self.0
    }
}
