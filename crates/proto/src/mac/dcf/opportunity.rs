//! What is sent when the medium is won: the frame is settled, so that it fits into the transmit opportunity, and others
//! may follow it there (IEEE 802.11-2020 §10.23.2.9).

use super::Others;
use super::aggregate::REQUEST;
use super::job::Job;
use super::machine::Dcf;
use super::protection::Guard;
use super::times::END;
use crate::contract::{Cx, Sink};
use crate::mac::Action;
use crate::mac::aggregate::{Opportunity, UnderWay};
use crate::phy::TxVector;
use crate::units::{Dur, NodeId, SimTime};
use crate::wire::FrameKind;

impl<O: Others> Dcf<O> {
    /// The back-off has ended: the frame is settled, and goes out or is announced.
    #[cold]
    #[inline(never)]
    pub(super) fn begin_frame<S: Sink<Action> + ?Sized>(
        &mut self,
        cx: &mut Cx<'_>,
        mut job: Job,
        out: &mut S,
    ) {
        let falls_back = self.rates.is_some() && self.choose_rate(cx.now, &mut job);
        let Some(aggregation) = &mut self.aggregation else { return };
        let category = job.priority.category();
        aggregation.opportunity = Opportunity::won(cx.now, category, &aggregation.rules);
        let limited = aggregation.rules.has_opportunities(category);
        let mut under_way = self.settle(cx.now, job, Dur::ZERO);
        job.long = under_way == UnderWay::Request
            && self.exchange.config().aggregation.announces_requests
            && self.exchange.config().reserves(REQUEST);
        let mut guard = self.guard(job.to, job.tx);
        job.long |= guard == Guard::Rts;
        if let UnderWay::Frame(load) = under_way {
            job.long |=
                job.to != NodeId::BROADCAST && (falls_back || self.exchange.config().reserves(load.psdu));
        }
        if job.long {
            guard = Guard::Rts;
        }
        if guard != Guard::None && limited && under_way != UnderWay::Request {
            under_way = self.settle(cx.now, job, self.exchange.times.until_data(guard));
        }
        self.send_settled(cx, job, (under_way, guard), out);
    }

    /// The station holds the medium, and sends another frame: no RTS announces it, unless that protects it.
    #[cold]
    #[inline(never)]
    pub(super) fn next_frame<S: Sink<Action> + ?Sized>(&mut self, cx: &mut Cx<'_>, job: Job, out: &mut S) {
        let guard = self.guard_of_next(job.to, job.tx);
        let under_way = self.settle(cx.now, job, self.exchange.times.until_data(guard));
        if let Some(aggregation) = &mut self.aggregation {
            aggregation.by_category.frames += 1;
        }
        self.send_settled(cx, Job { long: guard == Guard::Rts, ..job }, (under_way, guard), out);
    }

    /// Settles what is sent now, if so much goes before it.
    fn settle(&mut self, now: SimTime, job: Job, before: Dur) -> UnderWay {
        let answer = self.exchange.config().sifs + self.exchange.times.answer(job.tx).block_ack;
        let Some(aggregation) = &mut self.aggregation else { return UnderWay::Request };
        let longest = aggregation.rules.longest(job.priority.category());
        let most = aggregation.opportunity.left(now, before + answer, longest);
        let alone = self.rates.as_ref().is_some_and(|it| it.goes_alone());
        aggregation.settle(job.peer(), job.tx, most, alone)
    }

    /// By how much the answer to the frame under way is longer than an ACK.
    #[cold]
    #[inline(never)]
    pub(super) fn beyond_ack(&self, data: TxVector) -> Dur {
        let Some(aggregation) = &self.aggregation else { return Dur::ZERO };
        let several = match aggregation.under_way {
            UnderWay::Request => true,
            UnderWay::Frame(load) => load.count > 1,
        };
        if several {
            let answer = self.exchange.times.answer(data);
            answer.block_ack - answer.ack
        } else {
            Dur::ZERO
        }
    }

    fn send_settled<S: Sink<Action> + ?Sized>(
        &mut self,
        cx: &mut Cx<'_>,
        mut job: Job,
        (under_way, guard): (UnderWay, Guard),
        out: &mut S,
    ) {
        let Some(aggregation) = &mut self.aggregation else { return };
        let originator = aggregation.originator(job.peer());
        (job.mpdu, job.airtime) = match under_way {
            UnderWay::Frame(load) => {
                if job.long {
                    originator.announce(load.count);
                }
                (load.psdu, job.tx.airtime(load.psdu))
            }
            UnderWay::Request => {
                originator.asked();
                (REQUEST, self.exchange.times.answer(job.tx).tx.airtime(REQUEST))
            }
        };
        self.job = Some(job);
        match guard {
            Guard::Rts => {
                let around = self.exchange.times.answer(job.tx).around_data;
                let exchange = around + self.announced(job) + self.beyond_ack(job.tx);
                let duration = self.reservation(cx.now + self.exchange.times.rts, exchange);
                self.transmit_rts(cx.now, job, duration, out);
            }
            Guard::Cts => self.transmit_cts_to_self(cx.now, job, out),
            Guard::None => self.transmit_settled(cx, job, out),
        }
    }

    /// For how long an RTS announces the frame under way: a block ack request as if it went the way that data go, as in
    /// ns-3.44.
    #[cold]
    #[inline(never)]
    pub(super) fn announced(&self, job: Job) -> Dur {
        match self.aggregation.as_ref().map(|it| it.under_way) {
            Some(UnderWay::Request) => job.tx.airtime(REQUEST),
            _ => job.airtime,
        }
    }

    /// For how long a frame that ends at `end` reserves the medium, if its own exchange needs so much.
    pub(super) fn reservation(&self, end: SimTime, exchange: Dur) -> Dur {
        let category = self.exchange.access.others.on_turn();
        match &self.aggregation {
            Some(it) if it.rules.reserves_all(category) => it.opportunity.rest(end, exchange),
            _ => exchange,
        }
    }

    /// Whether what is left of the transmit opportunity is reserved, and a CF-End gives it back (§10.23.2.10). What was
    /// sent to all reserves nothing.
    pub(super) fn gives_back(&self, now: SimTime) -> bool {
        let category = self.exchange.access.others.on_turn();
        let takes = self.exchange.config().sifs + self.exchange.times.basic.airtime(END);
        self.job.is_some_and(|job| job.to != NodeId::BROADCAST)
            && self
                .aggregation
                .as_ref()
                .is_some_and(|it| it.rules.reserves_all(category) && it.opportunity.has(now, takes))
    }

    /// The transmit opportunity ends early. A back-off follows.
    #[cold]
    pub(super) fn transmit_end<S: Sink<Action> + ?Sized>(&mut self, now: SimTime, out: &mut S) {
        let sent = (self.exchange.times.basic, self.exchange.times.basic.airtime(END));
        let slots = self.retry.draw();
        self.exchange.access.back_off(now, slots);
        self.choose();
        if let Some(aggregation) = &mut self.aggregation {
            aggregation.by_category.ends += 1;
        }
        let end = self.exchange.control(FrameKind::CfEnd, NodeId::BROADCAST, END, Dur::ZERO, sent);
        self.exchange.end_with(now, end, self.job.is_some(), out);
    }

    /// What the station, whose last frame has got through, sends next in its transmit opportunity: to the neighbour
    /// whose oldest packet of the category has waited longest, if the shortest exchange with it fits.
    pub(super) fn next_job(&mut self, now: SimTime) -> Option<Job> {
        let category = self.exchange.access.others.on_turn();
        let aggregation = self.aggregation.as_ref().filter(|it| it.rules.has_opportunities(category))?;
        let (to, first) = aggregation.first(category)?;
        let mut job = Job::to(to, self.exchange.times.vector(to.node));
        if self.rates.is_some() {
            self.choose_rate(now, &mut job);
        }
        let (sifs, answer) = (self.exchange.config().sifs, self.exchange.times.answer(job.tx));
        let exchange = match first {
            None => answer.tx.airtime(REQUEST) + sifs + answer.block_ack,
            Some(mpdu) if to.node == NodeId::BROADCAST => job.tx.airtime(mpdu),
            Some(mpdu) => job.tx.airtime(mpdu) + sifs + answer.ack,
        };
        let before = sifs + self.exchange.times.until_data(self.guard_of_next(job.to, job.tx));
        self.aggregation.as_ref().filter(|it| it.opportunity.has(now, before + exchange)).map(|_| job)
    }
}
