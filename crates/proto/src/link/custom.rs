//! A link that keeps its own packets, from outside this crate, behind a pointer.

use std::ops::{Deref, DerefMut};

use super::contract::{Action, Input, PacketLink};
use crate::contract::{Cx, NextHops, Sink};

/// [`PacketLink::handle`] for one table of next hops and one sink, so that it can be called through a pointer.
trait Erased: PacketLink {
    fn handle_erased(
        &mut self,
        cx: &mut Cx<'_>,
        input: Input<'_>,
        next_hops: &dyn NextHops,
        out: &mut dyn Sink<Action>,
    );
}

impl<L: PacketLink> Erased for L {
    fn handle_erased(
        &mut self,
        cx: &mut Cx<'_>,
        input: Input<'_>,
        next_hops: &dyn NextHops,
        out: &mut dyn Sink<Action>,
    ) {
        self.handle(cx, input, &next_hops, out);
    }
}

/// Any [`PacketLink`]: experiments and tests.
#[derive(Debug)]
pub struct CustomPacketLink(Box<dyn Erased>);

impl CustomPacketLink {
    /// Puts a link behind a pointer.
    #[must_use]
    pub fn new(link: impl PacketLink + 'static) -> Self {
        Self(Box::new(link))
    }

    /// [`PacketLink::handle`].
    #[cold]
    #[inline(never)]
    pub fn handle<N: NextHops, S: Sink<Action>>(
        &mut self,
        cx: &mut Cx<'_>,
        input: Input<'_>,
        next_hops: &N,
        mut out: S,
    ) {
        self.0.handle_erased(cx, input, next_hops, &mut out);
    }
}

impl Deref for CustomPacketLink {
    type Target = dyn PacketLink;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl DerefMut for CustomPacketLink {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut *self.0
    }
}
