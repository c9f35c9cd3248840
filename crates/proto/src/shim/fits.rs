//! What a shim needs of TCP and of the signals of the network, so that it can act at all.

use super::{Retransmit, ShimConfig, ShimKind};
use crate::signals::SignalsConfig;
use crate::tcp::config::{EcnMode, Loss, LossDetectorKind, TcpConfig};
use crate::units::range::{Checked, Wrong};

impl ShimConfig {
    /// Whether this shim can act beside this TCP and these signals. `own`: the flow itself says which shim it has.
    ///
    /// # Errors
    /// What is missing, and what to set.
    pub fn check_with(&self, tcp: &TcpConfig, signals: &SignalsConfig, own: bool) -> Checked {
        self.both_halves(tcp, own)?;
        self.needs_of_tcp(tcp)?;
        self.reads_marks(tcp)?;
        let Some((kind, key, sent)) = self.waits_for(signals) else { return Ok(()) };
        if sent {
            return Ok(());
        }
        let message = format!("a shim of kind {kind:?} waits for signals that no node sends");
        Err(Wrong::says("kind", message, format!("set signals.{key} = true, as the technique {kind:?} does")))
    }

    /// One half of ADTCP acts on what the other measures. A flow that says itself that it has another shim is a TCP
    /// that learns nothing of the path.
    fn both_halves(&self, tcp: &TcpConfig, own: bool) -> Checked {
        let (acts, measures) = (tcp.judge == LossDetectorKind::Adtcp, self.kind == ShimKind::Adtcp);
        if acts == measures || (own && acts) {
            return Ok(());
        }
        let message = "ADTCP's judgement and its shim hang together: the one acts on what the other measures";
        let help = "set shim.kind = \"adtcp\" and tcp.judge = \"adtcp\", as the technique `adtcp` does";
        Err(Wrong::says("kind", message, help))
    }

    /// ATCP acts on duplicate ACKs and timeouts too; where it sends the holes of SACK, TCP must know them.
    fn needs_of_tcp(&self, tcp: &TcpConfig) -> Checked {
        let holes = self.kind == ShimKind::Atcp && self.atcp.retransmit == Retransmit::Holes;
        if !holes || tcp.loss == Loss::Sack {
            return Ok(());
        }
        let message = "ATCP that sends the holes known from SACK needs a TCP with SACK";
        let help = "set tcp.loss = \"sack\", or choose \"first-lost\"";
        Err(Wrong::says("atcp.retransmit", message, help))
    }

    /// ATCP goes by the echo of RFC 3168, whose flag is part of a counter in accurate ECN. Proxies of Split TCP
    /// acknowledge what they have not counted the marks of (RFC 9768 §3.3.1).
    fn reads_marks(&self, tcp: &TcpConfig) -> Checked {
        let message = match self.kind {
            ShimKind::Atcp => {
                "ATCP goes by the echo of RFC 3168: the counters of accurate ECN tell it nothing"
            }
            ShimKind::SplitTcp => "proxies of Split TCP acknowledge without the counters of accurate ECN",
            _ => return Ok(()),
        };
        if tcp.ecn != EcnMode::Accurate {
            return Ok(());
        }
        Err(Wrong::says("kind", message, "set tcp.ecn = true"))
    }

    /// The name of the kind, the key of the signals without which the shim would never act, and whether nodes send
    /// them.
    const fn waits_for(&self, signals: &SignalsConfig) -> Option<(&'static str, &'static str, bool)> {
        match self.kind {
            // Freeze-TCP and ENIC listen to the oracle, to signals on the air, to routing; ATCP and the last three to
            // ACKs.
            ShimKind::None
            | ShimKind::FreezeTcp
            | ShimKind::Enic
            | ShimKind::Atcp
            | ShimKind::Eln
            | ShimKind::SplitTcp
            | ShimKind::Adtcp => None,
            ShimKind::Ebsn => Some(("ebsn", "ebsn", signals.ebsn)),
            ShimKind::TcpF => Some(("tcp-f", "rfn", signals.rfn)),
            ShimKind::Elfn => Some(("elfn", "elfn", signals.elfn)),
            ShimKind::TcpBus => Some(("tcp-bus", "erdn", signals.erdn)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shim::AtcpConfig;

    #[test]
    fn a_shim_that_would_never_act_says_what_to_set() {
        let with = |kind, signals: SignalsConfig| {
            let shim = ShimConfig { kind, ..ShimConfig::default() };
            shim.check_with(&TcpConfig::default(), &signals, false)
        };
        for kind in [ShimKind::Ebsn, ShimKind::TcpF, ShimKind::Elfn, ShimKind::TcpBus] {
            let wrong = with(kind, SignalsConfig::default()).expect_err("no node sends signals");
            assert!(wrong.help.starts_with("set signals."), "{kind:?}: {}", wrong.help);
        }
        assert_eq!(with(ShimKind::Elfn, SignalsConfig { elfn: true, ..SignalsConfig::default() }), Ok(()));
        assert_eq!(with(ShimKind::FreezeTcp, SignalsConfig::default()), Ok(()));
        let erdn = SignalsConfig { erdn: true, ..SignalsConfig::default() };
        assert_eq!(with(ShimKind::TcpBus, erdn), Ok(()));
        assert!(
            with(ShimKind::Adtcp, SignalsConfig::default()).is_err(),
            "TCP does not act on what it measures"
        );
    }

    #[test]
    fn atcp_that_repairs_the_holes_of_sack_needs_sack() {
        let fits = |kind, retransmit, loss| {
            let atcp = AtcpConfig { retransmit, ..AtcpConfig::default() };
            let shim = ShimConfig { kind, atcp, ..ShimConfig::default() };
            let tcp = TcpConfig { loss, ..TcpConfig::default() };
            shim.check_with(&tcp, &SignalsConfig::default(), false).map_err(|wrong| wrong.key)
        };
        assert_eq!(fits(ShimKind::Atcp, Retransmit::Holes, Loss::Sack), Ok(()));
        assert!(fits(ShimKind::Atcp, Retransmit::Holes, Loss::DupAcks).is_err());
        assert_eq!(fits(ShimKind::Atcp, Retransmit::FirstLost, Loss::DupAcks), Ok(()));
        assert_eq!(fits(ShimKind::None, Retransmit::Holes, Loss::DupAcks), Ok(()), "a key that is not read");
    }

    #[test]
    fn shims_that_read_marks_have_those_of_rfc3168() {
        for (kind, ecn, fits) in [
            (ShimKind::Atcp, EcnMode::Accurate, false),
            (ShimKind::SplitTcp, EcnMode::Accurate, false),
            (ShimKind::Atcp, EcnMode::Classic, true),
            (ShimKind::FreezeTcp, EcnMode::Accurate, true),
        ] {
            let (shim, tcp) = (
                ShimConfig { kind, ..ShimConfig::default() },
                TcpConfig { ecn, loss: Loss::Sack, ..TcpConfig::default() },
            );
            assert_eq!(
                shim.check_with(&tcp, &SignalsConfig::default(), false).is_ok(),
                fits,
                "{kind:?}, {ecn}"
            );
        }
    }

    /// One half alone is wrong, but where a flow of a scenario with ADTCP says that it has another shim.
    #[test]
    fn the_halves_of_adtcp_stand_together() {
        let fits = |judge, kind, own| {
            let tcp = TcpConfig { judge, ..TcpConfig::default() };
            let shim = ShimConfig { kind, ..ShimConfig::default() };
            shim.check_with(&tcp, &SignalsConfig::default(), own).is_ok()
        };
        let (adtcp, plain) = (LossDetectorKind::Adtcp, TcpConfig::default().judge);
        assert!(fits(adtcp, ShimKind::Adtcp, false) && fits(plain, ShimKind::None, false));
        assert!(!fits(adtcp, ShimKind::None, false) && fits(adtcp, ShimKind::None, true));
        assert!(!fits(plain, ShimKind::Adtcp, false) && !fits(plain, ShimKind::Adtcp, true));
    }
}
