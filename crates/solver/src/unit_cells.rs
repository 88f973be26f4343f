//! The stored rows that a unit works on.

use lethe_rows::matching;

use crate::cells::{BoardData, Cells, Rows, RowsMut};
use crate::engine::TraverserMode;
use crate::plan::Level;
use crate::unit::UnitContext;
use crate::update::Step;

/// The rows of a unit's cells.
pub(crate) struct UnitCells<'a> {
    pub(crate) own: OwnCells<'a>,
    pub(crate) opp: Rows<'a>,
    pub(crate) opp_last: Rows<'a>,
    /// The level's row that `own` begins with.
    pub(crate) base: usize,
}

pub(crate) enum OwnCells<'a> {
    Learn { regret: RowsMut<'a>, sum: RowsMut<'a>, last: RowsMut<'a> },
    Read(Rows<'a>),
}

impl<'a> UnitCells<'a> {
    pub(crate) fn learn(own: &'a mut Cells, opp: &'a Cells) -> UnitCells<'a> {
        let own = OwnCells::Learn {
            regret: own.regret.get_mut(),
            sum: own.sum.get_mut(),
            last: own.last.get_mut(),
        };
        UnitCells { own, opp: opp.regret.get(), opp_last: opp.last.get(), base: 0 }
    }

    pub(crate) fn read(data: &'a BoardData, player: usize) -> UnitCells<'a> {
        let own = OwnCells::Read(data.cells[player].sum.get());
        let opp = data.cells[1 - player].sum.get();
        UnitCells { own, opp, opp_last: Rows::F32(&[]), base: 0 }
    }

    /// The cells of every unit of a level, to be processed in parallel.
    pub(crate) fn split(
        own: &'a mut Cells,
        opp: &'a Cells,
        at: &UnitContext<'_>,
        level: &Level,
    ) -> Vec<UnitCells<'a>> {
        let stride = at.own_stride;
        let (mut regret, mut sum) = (own.regret.get_mut(), own.sum.get_mut());
        let mut last = own.last.get_mut();
        let mut units = Vec::with_capacity(level.units.len());
        for unit in &level.units {
            let rows = &unit.rows[at.p];
            let (regrets, sums, lasts);
            (regrets, regret) = regret.split(rows.len(), stride);
            (sums, sum) = sum.split(rows.len(), stride);
            (lasts, last) = last.split(rows.len(), stride);
            let own = OwnCells::Learn { regret: regrets, sum: sums, last: lasts };
            let (opp, opp_last) = (opp.regret.get(), opp.last.get());
            units.push(UnitCells { own, opp, opp_last, base: rows.start });
        }
        units
    }

    /// The traverser's strategy at a decision.
    #[inline(always)]
    pub(crate) fn own_strategy(
        &self,
        at: &UnitContext<'_>,
        row: usize,
        actions: usize,
        sigma: &mut [f32],
        total: &mut [f32],
        decoded: &mut [f32],
    ) {
        let (stride, row) = (at.own_stride, row - self.base);
        match (&self.own, at.walk.mode) {
            (OwnCells::Learn { regret, last, .. }, TraverserMode::Learn(step))
                if step.predict > 0.0 =>
            {
                let decoded = &mut decoded[..actions * stride];
                sigma.copy_from_slice(last.get().read(row, actions, stride, decoded));
                let rows = regret.get().read(row, actions, stride, decoded);
                for (sigma, &regret) in sigma.iter_mut().zip(rows) {
                    *sigma += regret * step.predict;
                }
                decoded.copy_from_slice(sigma);
                matching::frequencies(decoded, sigma, total);
            }
            (OwnCells::Learn { regret, .. }, _) => {
                let regrets = regret.get().read(row, actions, stride, decoded);
                matching::frequencies(regrets, sigma, total);
            }
            (OwnCells::Read(sums), _) => {
                matching::frequencies(sums.read(row, actions, stride, decoded), sigma, total);
            }
        }
    }

    #[inline(always)]
    pub(crate) fn add_reach(
        &mut self,
        step: Step,
        row: usize,
        actions: usize,
        fan: &[f32],
        stride: usize,
        decoded: &mut [f32],
    ) {
        let row = row - self.base;
        if let OwnCells::Learn { sum, .. } = &mut self.own {
            sum.change(row, actions, stride, decoded, |sums| {
                for (sum, &reach) in sums.iter_mut().zip(fan) {
                    *sum = step.sum(*sum, reach);
                }
            });
        }
    }

    #[inline(always)]
    pub(crate) fn add_regret(
        &mut self,
        step: Step,
        row: usize,
        child: &[f32],
        value: &[f32],
        decoded: &mut [f32],
    ) {
        let (row, stride) = (row - self.base, value.len());
        let OwnCells::Learn { regret, last, .. } = &mut self.own else { return };
        regret.change(row, 1, stride, decoded, |regrets| {
            for ((regret, &child), &value) in regrets.iter_mut().zip(child).zip(value) {
                *regret = step.regret(*regret, child - value);
            }
        });
        if step.floor && step.negative == 0.0 && !last.get().is_empty() {
            last.change(row, 1, stride, decoded, |last| {
                for ((last, &child), &value) in last.iter_mut().zip(child).zip(value) {
                    *last = child - value;
                }
            });
        }
    }
}
