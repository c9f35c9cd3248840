//! Rates for neighbours of older amendments: each amendment has a rate control of its own, over its own rates.

use crate::mac::config::DcfConfig;
use crate::units::NodeId;

/// The rate controls of a station for such neighbours.
#[derive(Debug)]
pub(super) struct OlderRates<R> {
    /// The neighbours of one amendment, how frames go to them, and their rate control.
    classes: Vec<(Vec<NodeId>, DcfConfig, Box<R>)>,
    /// Which of them the frame in service goes by.
    served: Option<usize>,
}

impl<R> Default for OlderRates<R> {
    fn default() -> Self {
        Self { classes: Vec::new(), served: None }
    }
}

impl<R> OlderRates<R> {
    /// A neighbour to which frames go so; `make`: its rate control, if it is the first such one.
    pub(super) fn add(&mut self, node: NodeId, towards: &DcfConfig, make: impl FnOnce() -> Option<Box<R>>) {
        match self.classes.iter_mut().find(|(_, like, _)| like == towards) {
            Some((nodes, ..)) => nodes.push(node),
            None => self.classes.extend(make().map(|rates| (vec![node], towards.clone(), rates))),
        }
    }

    fn place(&self, of: NodeId) -> Option<usize> {
        self.classes.iter().position(|(nodes, ..)| nodes.contains(&of))
    }

    /// The frame in service goes to a neighbour: its rate control, if it is of an older amendment.
    pub(super) fn serve(&mut self, to: NodeId) -> Option<&mut R> {
        self.served = self.place(to);
        self.served.map(|place| &mut *self.classes[place].2)
    }

    /// The rate control of the frame in service, if that goes to a neighbour of an older amendment.
    pub(super) fn serving(&self) -> Option<&R> {
        self.served.map(|place| &*self.classes[place].2)
    }

    /// The same, to be changed.
    pub(super) fn serving_mut(&mut self) -> Option<&mut R> {
        self.served.map(|place| &mut *self.classes[place].2)
    }

    /// That of a neighbour, if it is of an older amendment.
    pub(super) fn of(&self, node: NodeId) -> Option<&R> {
        self.place(node).map(|place| &*self.classes[place].2)
    }

    /// The same, to be changed.
    pub(super) fn of_mut(&mut self, node: NodeId) -> Option<&mut R> {
        self.place(node).map(|place| &mut *self.classes[place].2)
    }

    /// All of them.
    pub(super) fn all(&self) -> impl Iterator<Item = &R> {
        self.classes.iter().map(|(.., rates)| &**rates)
    }

    /// Does it with each.
    pub(super) fn each(&mut self, act: impl FnMut(&mut R)) {
        self.classes.iter_mut().map(|(.., rates)| &mut **rates).for_each(act);
    }
}
