//! What a station counts, by public name.

use super::flow_control::FlowCounters;
use super::nav_doze::NavDoze;
use super::pacing::Pacing;
use super::protection::ProtectionCounters;
use super::{Dcf, Others, Rounds};
use crate::mac::aggregate::AggregationCounters;
use crate::mac::rate::{RateControl, RateCounters};

impl Dcf {
    /// Names of the counters that only some stations have.
    pub const NAMES: [&'static str; 19] = {
        let [up, down] = RateCounters::NAMES;
        let [cts_to_self] = ProtectionCounters::NAMES;
        let [flagged, silent, held, forced] = FlowCounters::NAMES;
        let [mpdus, aggregates, retries, acks, requests, packed, packets, late] = AggregationCounters::NAMES;
        [
            Rounds::NAME,
            Pacing::NAME,
            flagged,
            silent,
            held,
            forced,
            NavDoze::NAME,
            up,
            down,
            RateControl::PROBES,
            mpdus,
            aggregates,
            retries,
            acks,
            requests,
            packed,
            packets,
            late,
            cts_to_self,
        ]
    };
}

impl<O: Others> Dcf<O> {
    /// Tells every counter by its public name.
    pub(super) fn tell_counters(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        self.exchange.counters.each(tell);
        if let Some(rounds) = self.retry.rounds() {
            tell(Rounds::NAME, rounds);
        }
        if let Some(pacing) = &self.pacing {
            tell(Pacing::NAME, pacing.paced());
        }
        if let Some(flow) = &self.flow {
            flow.counters.each(tell);
        }
        if let Some(aggregation) = &self.aggregation {
            aggregation.counters().each(tell);
            if O::SEVERAL {
                aggregation.by_category.each(tell);
            }
        }
        if let Some(protection) = &self.protection {
            protection.counters.each(tell);
        }
        if let Some(doze) = &self.nav_doze {
            tell(NavDoze::NAME, doze.naps);
        }
        if let Some(rates) = &self.rates {
            rates.each_counter(tell);
        }
    }
}
