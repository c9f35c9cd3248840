//! The send gate: how many segments one send attempt may put into the interface queue.

use crate::port::{Facts, TcpView};

/// A gate from outside this crate: experiments and tests.
pub trait CustomGate: std::fmt::Debug + Send {
    /// Most segments that may be sent now.
    fn budget(&mut self, facts: &Facts, tcp: &TcpView<'_>) -> u32;
}

/// The gates.
#[derive(Debug, Default)]
pub enum Gate {
    /// Everything that the window allows.
    #[default]
    Open,
    /// One from outside.
    Custom(Box<dyn CustomGate>),
}

impl Gate {
    /// Most segments that may be sent now.
    #[inline]
    pub fn budget<'a>(&mut self, facts: &Facts, tcp: impl FnOnce() -> TcpView<'a>) -> u32 {
        match self {
            Self::Open => u32::MAX,
            Self::Custom(custom) => custom.budget(facts, &tcp()),
        }
    }
}
