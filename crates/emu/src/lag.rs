//! How late the network is: an event has an instant, and the clock says when it is carried out.

use multihop_proto::units::Dur;
use multihop_sim::probe::DelayHistogram;
use serde_json::{Value, json};

/// How late events were carried out.
#[derive(Debug, Default)]
pub(crate) struct Lag {
    lags: DelayHistogram,
    longest: Dur,
}

impl Lag {
    /// An event was carried out so late.
    pub(crate) fn add(&mut self, late: Dur) {
        self.lags.add(late);
        self.longest = self.longest.max(late);
    }

    /// The figures, and whether the run can be believed: 99 of 100 events were not later than `bound`.
    pub(crate) fn json(&self, bound: Dur) -> Value {
        let us = |seconds: Option<f64>| seconds.map(|seconds| seconds * 1e6);
        let (middle, high) = (self.lags.quantile(0.5), self.lags.quantile(0.99));
        let valid = high.is_none_or(|high| high <= bound.as_secs_f64());
        json!({
            "events": self.lags.count(),
            "lag_p50_us": us(middle),
            "lag_p99_us": us(high),
            "lag_max_us": self.longest.as_secs_f64() * 1e6,
            "lag_bound_us": bound.as_secs_f64() * 1e6,
            "valid": valid,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_late_event_in_a_hundred_is_borne_and_two_are_not() {
        let told = |late: u64| {
            let mut lag = Lag::default();
            (0..100).for_each(|event| lag.add(Dur::from_us(if event < late { 5_000 } else { 20 })));
            lag.json(Dur::from_ms(1))
        };
        assert_eq!(told(1)["valid"], true);
        assert_eq!((&told(2)["valid"], &told(2)["lag_max_us"]), (&json!(false), &json!(5_000.0)));
        assert_eq!(Lag::default().json(Dur::from_ms(1))["valid"], true, "nothing happened, nothing was late");
    }
}
