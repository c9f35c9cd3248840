//! Steering from outside: an agent that tells the source of each failed link, and a look at the TCP of a flow.

use multihop_proto::contract::{Cx, NodeState, Notice, TcpView};
use multihop_proto::endpoint::Transport;
use multihop_proto::proxy::{self, Agent};
use multihop_proto::tcp::Counters;
use multihop_proto::units::{FlowId, SimTime};
use multihop_proto::wire::{Signal, SignalKind, Towards};
use multihop_sim::network::Network;

use super::about;

pub(crate) const FLOW: FlowId = FlowId(0);
pub(crate) const CHAIN: [(u32, u32); 5] = [(0, 0), (200, 0), (400, 0), (600, 0), (800, 0)];

/// Tells the source of a failed link, once for each time that its node hears of one.
#[derive(Debug, Default)]
pub(crate) struct Announcer {
    last: Option<Signal>,
}

impl Agent for Announcer {
    fn handle(
        &mut self,
        cx: &mut Cx<'_>,
        _: &NodeState,
        input: proxy::Input,
        out: &mut Vec<proxy::Action>,
    ) -> proxy::Verdict {
        match input {
            proxy::Input::Passing(id) if cx.packets[id].towards == Towards::Destination => {
                self.last = about(&cx.packets[id], SignalKind::LinkFailure).or(self.last);
            }
            proxy::Input::Notice(Notice::LinkFailed { .. }) => {
                if let Some(signal) = self.last {
                    out.push(proxy::Action::Signal { to: signal.source, signal });
                }
            }
            _ => {}
        }
        proxy::Verdict::Pass
    }
}

pub(crate) fn counters(network: &Network) -> Counters {
    let mut counters = Counters::default();
    network.nodes()[0].each_counter(SimTime::ZERO, &mut |name, count| match name {
        "tcp.timeouts" => counters.timeouts = count,
        "tcp.fast-retransmits" => counters.fast_retransmits = count,
        _ => {}
    });
    counters
}

pub(crate) fn view(network: &Network) -> TcpView<'_> {
    network.nodes()[0].hosts().all()[0].kind.view().expect("a TCP sender")
}
