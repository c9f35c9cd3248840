//! Compares a table of frame lengths in time with those of this crate.
//!
//! `cargo run -p multihop-proto --example ppdu_durations -- TABLE.csv`
//!
//! Columns: format (`11a-6`, `11g-54`, `ht-mcs15`, `vht-mcs9`, `he-mcs11`; `-2.4` after it for that band), width
//! \[MHz\], streams, guard interval \[ns\], band \[GHz\], bytes of the PSDU, rate \[Mb/s\], and the length in
//! microseconds by the standard and by ns-3. Prints each row that differs by more than 10 ns, and fails if there is
//! one.

use multihop_proto::phy::{
    Band, DurationRule, Generation, GuardInterval, McsVector, Ofdm, OfdmRate, TxVector, Width,
};
use multihop_proto::units::{Bitrate, Bytes};

// The file that the command names is read here, at the edge.
#[allow(clippy::disallowed_methods)]
fn main() -> Result<(), String> {
    let path = std::env::args().nth(1).ok_or("which table? Give the path of a CSV file")?;
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
    let (mut rows, mut wrong) = (0, 0);
    for (line, row) in text.lines().enumerate().skip(1) {
        let fields: Vec<&str> = row.split(',').collect();
        let said = |column: usize| -> Result<f64, String> {
            let field =
                fields.get(column).ok_or(format!("{path}:{}: column {} is missing", line + 1, column + 1))?;
            field.parse().map_err(|error| format!("{path}:{}: {field}: {error}", line + 1))
        };
        for (column, durations) in [(7, DurationRule::Standard), (8, DurationRule::Ns3)] {
            let vector = vector(&fields, durations).ok_or(format!("{path}:{}: unknown format", line + 1))?;
            let (here, there) = (vector.airtime(Bytes(said(5)? as u32)).as_ns() as f64 / 1e3, said(column)?);
            rows += 1;
            if (here - there).abs() > 0.01 {
                wrong += 1;
                println!("{row}: {here} us by {durations:?}");
            }
        }
    }
    println!("{rows} lengths, {wrong} differ");
    if wrong == 0 && rows > 0 { Ok(()) } else { Err("the tables differ".into()) }
}

fn vector(fields: &[&str], durations: DurationRule) -> Option<TxVector> {
    let &[format, width, streams, guard, band, ..] = fields else { return None };
    let width = Width::ALL.into_iter().find(|it| width.parse() == Ok(it.mhz()))?;
    let band = if band == "2.4" { Band::Ghz2 } else { Band::Ghz5 };
    let (kind, rest) = format.split_once('-')?;
    let number = rest.trim_end_matches("-2.4").trim_start_matches("mcs");
    if matches!(kind, "11a" | "11g") {
        let rate = OfdmRate::of(Bitrate::from_mbps(number.parse().ok()?))?;
        return Some(TxVector::Ofdm(Ofdm { rate, width, band }));
    }
    let guards = [
        ("400", GuardInterval::Ns400),
        ("800", GuardInterval::Ns800),
        ("1600", GuardInterval::Ns1600),
        ("3200", GuardInterval::Ns3200),
    ];
    let (_, guard) = guards.into_iter().find(|(name, _)| *name == guard)?;
    let index: u8 = number.parse().ok()?;
    let (generation, mcs) = match kind {
        "ht" => (Generation::Ht, index % 8),
        "vht" => (Generation::Vht, index),
        "he" => (Generation::He, index),
        _ => return None,
    };
    let streams = streams.parse().ok()?;
    Some(TxVector::Mcs(McsVector { generation, mcs, streams, width, guard, band, durations }))
}
