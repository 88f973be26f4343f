//! The 169 preflop classes after the flop: the wrong baseline, for comparison.

use lethe_cards::{CanonicalBoard, Deck, River, Situation, StartingHand, Street};
use rayon::prelude::*;

use super::{Context, Fit, StreetMethod, number_by_equity};
use crate::equities::each_row;
use crate::error::BuildError;
use crate::quality::{QualitySums, asymmetric_slots};
use crate::report::BuiltStreet;
use crate::table::Stored;
use crate::table::Table;

/// Buckets by preflop class. The hand's relation to the board is lost.
pub(crate) struct Classes;

impl StreetMethod for Classes {
    fn build(
        &self,
        street: Street,
        buckets: usize,
        cx: &Context<'_>,
    ) -> Result<BuiltStreet, BuildError> {
        if buckets != StartingHand::COUNT {
            let distinct = StartingHand::COUNT;
            return Err(BuildError::TooManyBuckets { street, wanted: buckets, distinct });
        }
        let fit = Fit {
            distinct: StartingHand::COUNT,
            iterations: 0,
            converged: true,
            inertia: 0.0,
            fitted_on: None,
            centroids: Vec::new(),
            histogram_mass: None,
        };
        let phase = format!("{street} classes");
        if street != Street::River {
            let mut ids = vec![0u32; Situation::slots(street)];
            each_row(street, &phase, &mut ids, cx.job, |board, row| {
                for (id, hole) in row.iter_mut().zip(board.deck().holes()) {
                    *id = hole.class().index() as u32;
                }
            })?;
            let labels: Vec<u32> = (0..StartingHand::COUNT as u32).collect();
            return Ok(number_by_equity(street, &ids, &labels, buckets, fit, cx));
        }
        let sums = river_sums();
        let places = sums.order();
        let mut table = vec![0u16; Situation::slots(street)];
        each_row(street, &phase, &mut table, cx.job, |board, row| {
            for (bucket, hole) in row.iter_mut().zip(board.deck().holes()) {
                *bucket = places[hole.class().index()] as u16;
            }
        })?;
        let table = Table::U16(table);
        let asymmetric = asymmetric_slots(street, table.view());
        let report = fit.report(street, &sums.renumbered(&places), asymmetric);
        Ok(BuiltStreet { stored: Stored::Dense(table), report })
    }
}

/// The sums of every class over all river boards.
fn river_sums() -> QualitySums {
    let new = || QualitySums::new(StartingHand::COUNT);
    let boards = (0..CanonicalBoard::count(Street::River)).into_par_iter();
    boards
        .fold(new, |mut sums, index| {
            let board = CanonicalBoard::from_index(Street::River, index).expect("in range");
            let table = River::new(board.set()).equities(0, |q| q);
            for hole in Deck::without(board.set()).holes() {
                let q = table.get(hole);
                sums.add(hole.class().index() as u32, q.into(), board.multiplicity().into());
            }
            sums
        })
        .reduce(new, |a, b| a.merge(&b))
}
