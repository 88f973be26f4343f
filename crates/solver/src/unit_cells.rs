//! The stored rows that a unit works on.

use lethe_compute::simd::Level as Vectors;
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

    /// Asks for the rows of a decision to be loaded.
    #[inline(always)]
    pub(crate) fn prefetch<V: Vectors>(
        &self,
        vectors: V,
        at: &UnitContext<'_>,
        actor: usize,
        row: usize,
        actions: usize,
    ) {
        if actor == at.o {
            return self.opp.prefetch(vectors, row, actions, at.opp_stride);
        }
        let row = row - self.base;
        match &self.own {
            OwnCells::Learn { regret, sum, .. } => {
                regret.get().prefetch(vectors, row, actions, at.own_stride);
                sum.get().prefetch(vectors, row, actions, at.own_stride);
            }
            OwnCells::Read(sums) => sums.prefetch(vectors, row, actions, at.own_stride),
        }
    }

    /// The traverser's strategy at a decision.
    #[inline(always)]
    pub(crate) fn own_strategy(
        &self,
        at: &UnitContext<'_>,
        row: usize,
        actions: usize,
        sigma: &mut [f32],
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
                matching::frequencies(decoded, sigma, stride);
            }
            (OwnCells::Learn { regret, .. }, _) => {
                let regrets = regret.get().read(row, actions, stride, decoded);
                matching::frequencies(regrets, sigma, stride);
            }
            (OwnCells::Read(sums), _) => {
                matching::frequencies(sums.read(row, actions, stride, decoded), sigma, stride);
            }
        }
    }

    /// Writes the traverser's reach after each action, `fan`, and adds it to the strategy sums.
    #[inline(always)]
    pub(crate) fn add_reach(
        &mut self,
        step: Step,
        row: usize,
        [reach, sigma]: [&[f32]; 2],
        fan: &mut [f32],
        decoded: &mut [f32],
    ) {
        let (row, stride) = (row - self.base, reach.len());
        let actions = sigma.len() / stride;
        let OwnCells::Learn { sum, .. } = &mut self.own else { return };
        let sums = sum.open(row, actions, stride, decoded);
        for action in 0..actions {
            let from = action * stride;
            let (sums, sigma) = (&mut sums[from..][..stride], &sigma[from..][..stride]);
            let fan = &mut fan[from..][..stride];
            for i in 0..stride {
                fan[i] = reach[i] * sigma[i];
                sums[i] = step.sum(sums[i], fan[i]);
            }
        }
        sum.close(row, actions, stride, decoded);
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
        let regrets = &mut regret.open(row, 1, stride, decoded)[..stride];
        let child = &child[..stride];
        for i in 0..stride {
            regrets[i] = step.regret(regrets[i], child[i] - value[i]);
        }
        regret.close(row, 1, stride, decoded);
        if step.floor && step.negative == 0.0 && !last.get().is_empty() {
            let last_rows = &mut last.open(row, 1, stride, decoded)[..stride];
            for i in 0..stride {
                last_rows[i] = child[i] - value[i];
            }
            last.close(row, 1, stride, decoded);
        }
    }
}
