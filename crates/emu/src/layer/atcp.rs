//! The layer of ATCP below a TCP of Linux, for as long as there is no route (Liu & Singh, IEEE JSAC 2001; Sridhara &
//! Subramanya, sections 5 and 7).
//!
//! ```text
//!     HERE ── host unreachable: stop TCP ──► AWAY   timer: probe; grows as the technique says
//!     ▲                                      │
//!     └──────────────────────────────────────┘
//!         answer to a probe: go on, in slow start
//! ```

use multihop_proto::shim::{AtcpConfig, BackOff, Reconnect};
use multihop_proto::units::{Dur, SimTime};

use super::contract::Step;
use super::held::{Held, LONGEST};

/// When ATCP stops a TCP and lets it go on.
#[derive(Debug)]
pub(super) struct Atcp {
    config: AtcpConfig,
    away: Option<Away>,
}

/// So many probes have gone, and another is due.
#[derive(Clone, Copy, Debug)]
struct Away {
    probes: u32,
    rto: Dur,
    at: SimTime,
}

impl Atcp {
    pub(super) const fn new(config: AtcpConfig) -> Self {
        Self { config, away: None }
    }

    pub(super) const fn next_at(&self) -> SimTime {
        match self.away {
            Some(away) => away.at,
            None => SimTime::MAX,
        }
    }

    /// There is no route.
    pub(super) fn unreachable(&mut self, step: &mut Step<'_>, held: &mut Held) {
        let Some(times) = step.times.filter(|_| self.away.is_none() && held.is_answered()) else { return };
        held.stop(step);
        self.away = Some(Away { probes: 0, rto: times.rto, at: step.now + times.rto });
    }

    /// The receiver says something.
    pub(super) fn answered(&mut self, step: &mut Step<'_>, held: &mut Held) {
        // It was under way already, and says nothing of a route.
        let is_early = |away: &Away| away.probes == 0 && self.config.reconnect == Reconnect::Answer;
        if let Some(away) = self.away.take_if(|away| !is_early(away)) {
            held.go_on(step, 1, away.rto);
        }
    }

    /// Its timer.
    pub(super) fn due(&mut self, step: &mut Step<'_>, held: &Held) {
        let Some(away) = self.away.as_mut().filter(|away| away.at <= step.now) else { return };
        held.probe(step);
        let steps = match self.config.probe_back_off {
            BackOff::Linear => u64::from(away.probes) + 2,
            BackOff::Exponential => 2 << away.probes.min(16),
        };
        away.at = step.now + (away.rto * steps).min(LONGEST);
        away.probes = away.probes.saturating_add(1);
    }
}
