//! The bytes that packets carry, shared by their copies.

use std::sync::Arc;

/// Place of a body in [`Bodies`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BodyId(pub(super) u32);

/// Bytes that packets carry and their copies share. A body lives as long as a packet holds it.
#[derive(Debug, Default)]
pub(super) struct Bodies {
    slots: Vec<Option<(u32, Arc<[u8]>)>>,
    free: Vec<u32>,
}

impl Bodies {
    /// Takes in a body that no packet has yet.
    pub(super) fn add(&mut self, bytes: Arc<[u8]>) -> BodyId {
        let entry = Some((0, bytes));
        if let Some(index) = self.free.pop() {
            self.slots[index as usize] = entry;
            return BodyId(index);
        }
        self.slots.push(entry);
        BodyId(u32::try_from(self.slots.len() - 1).expect("fewer than 2^32 bodies in flight"))
    }

    /// The bytes; none after the last holder has let go.
    pub(super) fn get(&self, body: BodyId) -> Option<&Arc<[u8]>> {
        self.slots.get(body.0 as usize)?.as_ref().map(|(_, bytes)| bytes)
    }

    /// One more packet holds the body.
    pub(super) fn hold(&mut self, body: BodyId) {
        if let Some(Some((holders, _))) = self.slots.get_mut(body.0 as usize) {
            *holders += 1;
        }
    }

    /// One packet fewer holds the body.
    pub(super) fn release(&mut self, body: BodyId) {
        let Some(slot) = self.slots.get_mut(body.0 as usize) else { return };
        if let Some((holders, _)) = slot {
            *holders -= 1;
            if *holders == 0 {
                *slot = None;
                self.free.push(body.0);
            }
        }
    }

    /// Bodies that are held or wait for their first holder.
    #[cfg(test)]
    pub(super) fn live(&self) -> usize {
        self.slots.iter().flatten().count()
    }
}
