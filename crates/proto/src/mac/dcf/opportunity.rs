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
use crate::mac::aggregate::UnderWay;
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
        aggregation.turn.win(cx.now, category);
        let limited = aggregation.turn.has_opportunities(category);
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
        let most = aggregation.turn.left(now, before + answer, job.priority.category());
        let alone = self.rates.as_ref().is_some_and(|it| it.goes_alone());
        aggregation.settle(job.peer(), job.tx, most, alone)
    }

    fn send_settled<S: Sink<Action> + ?Sized>(
        &mut self,
        cx: &mut Cx<'_>,
        mut job: Job,
        (under_way, guard): (UnderWay, Guard),
        out: &mut S,
    ) {
        let category = self.exchange.access.others.on_turn();
        let answer = *self.exchange.times.answer(job.tx);
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
                (REQUEST, answer.tx.airtime(REQUEST))
            }
        };
        self.job = Some(job);
        match guard {
            Guard::Rts => {
                // A block ack request as if it went the way that data go, as in ns-3.44.
                let announced = match under_way {
                    UnderWay::Request => job.tx.airtime(REQUEST),
                    UnderWay::Frame(_) => job.airtime,
                };
                let beyond_ack = answer.beyond_ack(aggregation.turn.wants_block_ack());
                let exchange = answer.around_data + announced + beyond_ack;
                let end = cx.now + self.exchange.times.rts;
                let duration = aggregation.turn.reservation(category, end, exchange);
                self.transmit_rts(cx.now, job, duration, out);
            }
            Guard::Cts => self.transmit_cts_to_self(cx.now, job, out),
            Guard::None => self.transmit_settled(cx, job, out),
        }
    }

    /// Whether what is left of the transmit opportunity is reserved, and a CF-End gives it back (§10.23.2.10). What was
    /// sent to all reserves nothing.
    pub(super) fn gives_back(&self, now: SimTime) -> bool {
        let category = self.exchange.access.others.on_turn();
        let takes = self.exchange.times.until_given_back();
        self.job.is_some_and(|job| job.to != NodeId::BROADCAST)
            && self
                .aggregation
                .as_ref()
                .is_some_and(|it| it.turn.reserves_all(category) && it.turn.has(now, takes))
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
        let aggregation = self.aggregation.as_ref().filter(|it| it.turn.has_opportunities(category))?;
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
        self.aggregation.as_ref().filter(|it| it.turn.has(now, before + exchange)).map(|_| job)
    }
}
