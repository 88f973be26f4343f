//! What hands win: payoffs at the ends of a bundle, and values up to its root.

use lethe_cards::Street;
use lethe_rows::Summand;

use super::visit::{Frame, Visit, bits, masked, resized, row_len};
use super::{Scratch, Worker};
use crate::changes::{Amounts, Changes};
use crate::deal::{HOLES, TURN_HOLES};
use crate::exact::sized;
use crate::kernel::{self, Table};
use crate::lanes::{self, Lanes};
use crate::plan::{Block, Kind, MAX_ACTIONS};
use crate::preflop::Preflop;
use crate::rounded::{self, Rounded};
use crate::store::{Averages, Store, fill_tables};

/// A row of zeros.
static NOTHING: [Lanes; TURN_HOLES] = [Lanes::ZERO; TURN_HOLES];

impl Worker<'_> {
    /// The values at folds and all-ins before the flop: not on the board that was dealt, but their
    /// known means over all boards.
    pub(super) fn pay_preflop(
        &mut self,
        Visit { dense, deal, p, .. }: Visit<'_>,
        frame: &mut Frame,
    ) {
        let regrets = self.regrets(Street::Preflop, 0, 1 - p);
        let (store, share) = (self.setup.store, self.average_share(p));
        let block = &self.setup.plan.blocks(Street::Preflop)[0];
        let paid = &mut self.paid_preflop[p][usize::from(self.learner == Some(p))];
        if paid.batch != Some(self.batch) {
            let mut now = Vec::new();
            let preflop =
                Preflop::by(self.setup.plan, p, |block, offset, classes, tables| match share {
                    0.0 => fill_tables(&regrets, block, offset, classes, tables),
                    _ => {
                        let now = sized(&mut now, tables.len());
                        fill_tables(&regrets, block, offset, classes, now);
                        mix_average(store, share, (block, offset, classes), now, tables);
                    }
                });
            paid.batch = Some(self.batch);
            paid.values.clear();
            paid.values.extend(block.nodes.iter().enumerate().map(|(place, node)| {
                let values = match node.kind {
                    Kind::Fold(pays) => preflop.met(place).fold(pays[p]),
                    Kind::Showdown(stakes) => preflop.met(place).showdown(stakes),
                    Kind::Decision(..) | Kind::Next(_) => return Vec::new(),
                };
                values.iter().map(|&value| value as f32).collect()
            }));
        }
        for (place, values) in paid.values.iter().enumerate() {
            if values.is_empty() || frame.alive[place] == 0 {
                continue;
            }
            let row = &mut frame.values[place * TURN_HOLES..][..TURN_HOLES];
            for (out, &local) in row.iter_mut().zip(&dense.local) {
                out.0[0] = values[dense.distinct[local as usize] as usize];
            }
            deal.blocked.iter().for_each(|&slot| row[slot as usize] = Lanes::ZERO);
        }
    }

    /// The values at folds and showdowns of the river.
    pub(super) fn pay(&mut self, visit: Visit<'_>, frame: &mut Frame) {
        let seat = visit.deal.rivers[visit.river].ranked.seat();
        let (plan, sums) = (self.setup.plan, &mut self.scratch.card_sums);
        let Frame { reach, values, alive } = frame;
        for paid in visit.payouts(plan, alive) {
            let row = |node: u32| node as usize * HOLES..(node as usize + 1) * HOLES;
            let reach = &reach[row(paid.row)];
            if let Some((node, stakes)) = paid.show {
                lanes::show(seat, sums, reach, stakes, &mut values[row(node)]);
            }
            if let Some((node, pay)) = paid.fold {
                let is_summed = paid.show.is_some();
                lanes::fold(seat, sums, is_summed, reach, pay, &mut values[row(node)]);
            }
        }
    }

    /// The values at folds and all-ins of flop and turn: all-ins are the mean over the rivers that were
    /// dealt.
    pub(super) fn pay_before_river(&mut self, visit: Visit<'_>, frame: &mut Frame) {
        let Visit { deal, .. } = visit;
        let Scratch { card_sums: sums, all_in: [river_reach, river_values], .. } =
            &mut self.scratch;
        let Frame { reach, values, alive } = frame;
        for paid in visit.payouts(self.setup.plan, alive) {
            let row = |node: u32| node as usize * TURN_HOLES..(node as usize + 1) * TURN_HOLES;
            let reach = &reach[row(paid.row)];
            if let Some((node, stakes)) = paid.show {
                let out = &mut values[row(node)];
                out.fill(Lanes::ZERO);
                for river in &deal.rivers {
                    lanes::gather(river_reach, reach, &river.slots);
                    lanes::show(river.ranked.seat(), sums, river_reach, stakes, river_values);
                    lanes::scatter_weighted(out, river_values, &river.slots, &river.weights);
                }
            }
            if let Some((node, pay)) = paid.fold {
                let out = &mut values[row(node)];
                lanes::fold(deal.seat(), sums, false, reach, pay, out);
                deal.blocked.iter().for_each(|&slot| out[slot as usize] = Lanes::ZERO);
            }
        }
    }

    /// Values up to the bundle's root, and the traverser's regrets.
    pub(super) fn backward(&mut self, visit: Visit<'_>, frame: &mut Frame, changes: &mut Changes) {
        let Visit { bundle, shape, dense, p, .. } = visit;
        let len = row_len(bundle.street);
        let (street, plan) = (bundle.street, self.setup.plan);
        let (count, local) = (dense.distinct.len(), &dense.local[..]);
        let is_adversary = self.is_adversary(p);
        let answers_by_hole = street == Street::River && is_adversary;
        let amounts = match answers_by_hole {
            true => 0..0,
            false => self.begin_amounts(Amounts::Regrets, visit, p, changes),
        };
        let mut scratch = std::mem::take(&mut self.scratch);
        let mut answers = match (street, is_adversary) {
            (Street::Preflop, _) | (_, false) => None,
            _ => Some(std::mem::take(&mut self.answers[street.index() - 1])),
        };
        let mut learned = self.keeps(street, p).then(|| self.take_learned(street));
        let Frame { reach, values, alive } = frame;
        for (place, node) in shape.nodes.iter().enumerate().rev() {
            let Kind::Decision(player, offset) = node.kind else { continue };
            let lanes = alive[place];
            if lanes == 0 {
                continue;
            }
            let children = shape.children(place);
            let (before, after) = values.split_at_mut((place + 1) * len);
            let out = &mut before[place * len..];
            let mut rows = [&[][..]; MAX_ACTIONS];
            let mut valued = 0;
            for &child in children {
                if player == p || alive[child as usize] != 0 {
                    // A pruned action is never played, so its value does not matter.
                    rows[valued] = match alive[child as usize] {
                        0 => &NOTHING[..len],
                        _ => &after[(child as usize - place - 1) * len..][..len],
                    };
                    valued += 1;
                }
            }
            let rows = &rows[..valued];
            if player != p {
                lanes::sum(out, rows);
                continue;
            }
            let edge = visit.edge(place);
            if answers_by_hole {
                let reach = &reach[shape.views[p].row[place] as usize * len..][..len];
                let reach = lanes::total(reach);
                let mut slack = Lanes::splat(f32::MIN_POSITIVE);
                for lane in bits(lanes) {
                    let node = bundle.block(plan, lane).nodes[place].id;
                    let pot = plan.tree().pot(node) as f32;
                    slack.0[lane] = (self.slack * pot * reach.0[lane]).max(f32::MIN_POSITIVE);
                }
                let (shares, known) = answers.as_mut().expect("an adversary").at(edge);
                *known = lanes;
                lanes::answer(out, rows, &mut shares[..children.len() * len], slack);
                continue;
            }
            let cells = (offset, children.len());
            let Scratch { tables, sums, .. } = &mut scratch;
            let (tables, missing) = match &mut learned {
                Some(learned) => {
                    let (tables, known) = learned.at(edge);
                    (&mut tables[..children.len() * count], lanes & !*known)
                }
                None => (resized(tables, children.len() * count), lanes),
            };
            if missing != 0 {
                self.fill(visit, missing, p, cells, tables);
            }
            lanes::mix(out, rows, tables, local);
            let sums = resized(sums, children.len() * count);
            sums.fill(Lanes::ZERO);
            for (sums, row) in sums.chunks_exact_mut(count).zip(rows) {
                lanes::add_by_bucket(sums, row, local);
            }
            let at = visit.place(offset);
            let scale = masked(lanes, self.regret_unit * visit.share());
            let key = self.rounding.bits() as u32;
            let amounts = changes.of_blocks(Amounts::Regrets, amounts.clone());
            let out = Rounded { amounts: &mut *amounts, place: at, key, written: 0 };
            rounded::regret(out, sums, tables, scale);
            // Nothing is learned of actions that were skipped.
            for (a, &child) in children.iter().enumerate() {
                for lane in bits(lanes & !alive[child as usize]) {
                    let block = &mut amounts[lane * count * at.width..][..count * at.width];
                    block.iter_mut().skip(offset + a).step_by(at.width).for_each(|x| *x = 0);
                }
            }
            if let Some(answers) = &mut answers {
                let (answer, known) = answers.at(edge);
                let answer = &mut answer[..children.len() * count];
                answer.fill(Lanes::ZERO);
                *known = lanes;
                for lane in bits(lanes) {
                    let block = bundle.block(plan, lane);
                    let regrets = self.regrets(street, bundle.blocks[lane], p);
                    let amounts = amounts[lane * count * at.width..].chunks_exact(at.width);
                    for (i, (&bucket, amounts)) in dense.distinct.iter().zip(amounts).enumerate() {
                        let at = regrets.at(block, offset, bucket);
                        for (a, &amount) in amounts[offset..][..children.len()].iter().enumerate() {
                            answer[a * count + i].0[lane] = regrets.played(at, a, amount).max(0.0);
                        }
                    }
                }
                lanes::normalize(answer, children.len());
            }
        }
        self.scratch = scratch;
        if let Some(answers) = answers {
            self.answers[street.index() - 1] = answers;
        }
        if let Some(learned) = learned {
            self.learned[street.index() - 1] = learned;
        }
    }
}

/// Writes the frequencies of a decision's actions in a mixture of the average strategy, which has this
/// share, and of what is played `now`.
fn mix_average(
    store: &Store,
    share: f32,
    (block, offset, buckets): (&Block, usize, &[u32]),
    now: &[Table],
    mixed: &mut [Table],
) {
    fill_tables(&Averages(store), block, offset, buckets, mixed);
    kernel::mix_into(mixed, now, share, buckets.len());
}
