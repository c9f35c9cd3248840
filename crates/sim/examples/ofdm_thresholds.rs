//! Compares a table of ratios of signal to noise with those at which this crate's OFDM frames are lost as often.
//!
//! `cargo run -p multihop-sim --example ofdm_thresholds -- TABLE.csv`
//!
//! Columns: model (`nist`, `yans`, `table-bcc`, `table-ldpc`), modulation (`BPSK`, `QPSK`, `16-QAM` ...), code rate
//! (`1/2` ...), frames that it is of (`6 Mb/s; MCS0`: the first counts), bytes, and the ratios \[dB\] at packet error
//! rates of 0.9, 0.5, 0.1, 0.01 and 0.001. Prints each ratio that differs by more than 0.1 dB, and fails if there is
//! one.

use multihop_proto::phy::{
    Band, CodeRate, Constellation, DurationRule, Generation, GuardInterval, McsVector, Modulation, Ofdm,
    OfdmRate, TxVector, Width,
};
use multihop_proto::units::Bytes;
use multihop_sim::air::{OfdmErrors, payload_survives};

/// Packet error rates of the columns.
const RATES: [f64; 5] = [0.9, 0.5, 0.1, 0.01, 0.001];

// The file that the command names is read here, at the edge.
#[allow(clippy::disallowed_methods)]
fn main() -> Result<(), String> {
    let path = std::env::args().nth(1).ok_or("which table? Give the path of a CSV file")?;
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
    let (mut ratios, mut wrong, mut worst) = (0, 0, 0.0_f64);
    for (line, row) in text.lines().enumerate().skip(1) {
        let fields: Vec<&str> = row.split(',').collect();
        let unknown = || format!("{path}:{}: unknown model or modulation", line + 1);
        let (errors, tx) = sent(&fields).ok_or_else(unknown)?;
        let bytes = fields.get(4).and_then(|bytes| bytes.parse().ok()).ok_or_else(unknown)?;
        for (share, field) in RATES.into_iter().zip(&fields[5..]) {
            let there: f64 = field.parse().map_err(|error| format!("{path}:{}: {error}", line + 1))?;
            let here = threshold(tx, Bytes(bytes), errors, share);
            (ratios, worst) = (ratios + 1, worst.max((here - there).abs()));
            if (here - there).abs() > 0.1 {
                wrong += 1;
                println!("{row}: {here:.2} dB at {share}");
            }
        }
    }
    println!("{ratios} ratios, {wrong} differ by more than 0.1 dB, the worst by {worst:.2} dB");
    if wrong == 0 && ratios > 0 { Ok(()) } else { Err("the tables differ".into()) }
}

/// By bisection \[dB\].
fn threshold(tx: TxVector, bytes: Bytes, errors: OfdmErrors, share: f64) -> f64 {
    let (mut low, mut high) = (-20.0, 60.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        let lost = 1.0 - payload_survives(tx, bytes, errors, libm::pow(10.0, middle / 10.0));
        if lost > share { low = middle } else { high = middle }
    }
    low
}

/// The model, and a frame with this modulation.
fn sent(fields: &[&str]) -> Option<(OfdmErrors, TxVector)> {
    let &[model, constellation, code, example, ..] = fields else { return None };
    let errors = match model {
        "nist" => OfdmErrors::Nist,
        "yans" => OfdmErrors::Yans,
        "table-bcc" => OfdmErrors::Table,
        "table-ldpc" => OfdmErrors::TableLdpc,
        _ => return None,
    };
    let constellation = match constellation {
        "BPSK" => Constellation::Bpsk,
        "QPSK" => Constellation::Qpsk,
        "16-QAM" => Constellation::Qam16,
        "64-QAM" => Constellation::Qam64,
        "256-QAM" => Constellation::Qam256,
        "1024-QAM" => Constellation::Qam1024,
        _ => return None,
    };
    let code = match code {
        "1/2" => CodeRate::Half,
        "2/3" => CodeRate::TwoThirds,
        "3/4" => CodeRate::ThreeQuarters,
        "5/6" => CodeRate::FiveSixths,
        _ => return None,
    };
    let of = Modulation::new(constellation, code);
    let (width, band) = (Width::Mhz20, Band::Ghz5);
    let legacy = OfdmRate::ALL.into_iter().find(|rate| rate.modulation() == of);
    if let Some(rate) = legacy.filter(|_| !example.starts_with("MCS")) {
        return Some((errors, TxVector::Ofdm(Ofdm { rate, width, band })));
    }
    let mcs = (0..12).find(|&mcs| Modulation::of_mcs(mcs) == of)?;
    // VHT has no MCS 9 in 20 MHz and one stream (IEEE 802.11-2020 §21.5). The width matters to `yans` only.
    let (generation, width) = match mcs {
        0..8 => (Generation::Ht, width),
        8..10 => (Generation::Vht, Width::Mhz80),
        _ => (Generation::He, width),
    };
    let guard = GuardInterval::Ns800;
    let durations = DurationRule::Standard;
    Some((errors, TxVector::Mcs(McsVector { generation, mcs, streams: 1, width, guard, band, durations })))
}
