//! What the toy routing says: a kind, then words of four bytes.

use std::sync::Arc;

use multihop_proto::units::NodeId;
use multihop_proto::wire::address;

/// A message between toys; paths run from the node that searches to the one that it looks for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Message {
    Request { id: u32, target: NodeId, path: Vec<NodeId> },
    Reply { path: Vec<NodeId> },
    Error { link: (NodeId, NodeId), path: Vec<NodeId> },
}

impl Message {
    pub(crate) fn emit(&self) -> Arc<[u8]> {
        let (kind, head, path) = match self {
            Self::Request { id, target, path } => (1, vec![id.to_be_bytes(), address::ipv4(*target)], path),
            Self::Reply { path } => (2, vec![], path),
            Self::Error { link, path } => (3, vec![address::ipv4(link.0), address::ipv4(link.1)], path),
        };
        let path = path.iter().map(|&node| address::ipv4(node));
        std::iter::once(kind).chain(head.into_iter().chain(path).flatten()).collect()
    }

    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let (&kind, rest) = bytes.split_first()?;
        match (kind, words(rest)?) {
            (1, [id, target, path @ ..]) => Some(Self::Request {
                id: u32::from_be_bytes(*id),
                target: address::node(*target)?,
                path: nodes(path)?,
            }),
            (2, path) => Some(Self::Reply { path: nodes(path)? }),
            (3, [from, to, path @ ..]) => {
                Some(Self::Error { link: (address::node(*from)?, address::node(*to)?), path: nodes(path)? })
            }
            _ => None,
        }
    }
}

/// A source route: how often the packet was salvaged, and the way from its maker, or last salvager, to its destination.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SourceRoute {
    pub(crate) salvaged: u8,
    pub(crate) path: Vec<NodeId>,
}

impl SourceRoute {
    pub(crate) fn emit(&self) -> Arc<[u8]> {
        let path = self.path.iter().flat_map(|&node| address::ipv4(node));
        [self.salvaged, 0, 0, 0].into_iter().chain(path).collect()
    }

    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let [head, path @ ..] = words(bytes)? else { return None };
        Some(Self { salvaged: head[0], path: nodes(path)? })
    }
}

fn words(bytes: &[u8]) -> Option<&[[u8; 4]]> {
    let (words, rest) = bytes.as_chunks::<4>();
    rest.is_empty().then_some(words)
}

fn nodes(words: &[[u8; 4]]) -> Option<Vec<NodeId>> {
    words.iter().map(|&word| address::node(word)).collect()
}
