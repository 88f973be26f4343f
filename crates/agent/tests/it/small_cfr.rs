//! CFR on games of one private card each, whole or from a public history on behind a [`Gadget`].
//! In 64 bits but for the gadget, and without any of the solver's code.

use std::collections::HashMap;

use lethe_agent::{Gadget, GadgetKind};
use lethe_solver::{RootGadget, Rule, Step};

use crate::leduc::{Node, Small};

/// Which boards a player cannot tell apart: the name of a card's information set at a history.
pub(crate) type Names = fn(&str, usize) -> String;

/// Everything is seen.
pub(crate) fn exact(history: &str, _: usize) -> String {
    history.to_owned()
}

/// In Leduc: with a jack, queen and king boards look the same; with a king, jack and queen boards.
pub(crate) fn blurred(history: &str, card: usize) -> String {
    let hidden: &[char] = match card / 2 {
        0 => &['2', '3', '4', '5'],
        2 => &['0', '1', '2', '3'],
        _ => &[],
    };
    history.replace(hidden, "*")
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Own {
    Learn,
    Best,
}

/// The regrets and strategy sums of an information set, and what the iteration adds to them.
#[derive(Clone, Default)]
struct Cell {
    regret: Vec<f64>,
    sum: Vec<f64>,
    gain: Vec<f64>,
    reach: Vec<f64>,
}

fn matched(rows: &[f64]) -> Vec<f64> {
    let total: f64 = rows.iter().map(|x| x.max(0.0)).sum();
    let even = 1.0 / rows.len() as f64;
    rows.iter().map(|x| if total > 0.0 { x.max(0.0) / total } else { even }).collect()
}

/// A profile of average strategies, and the regrets that lead to it.
#[derive(Clone)]
pub(crate) struct Cfr<G> {
    game: G,
    names: Names,
    iteration: u32,
    cells: HashMap<(String, usize), Cell>,
}

impl<G: Small + Clone> Cfr<G> {
    pub(crate) fn new(game: G, names: Names) -> Cfr<G> {
        Cfr { game, names, iteration: 0, cells: HashMap::new() }
    }

    /// Solves the whole game.
    pub(crate) fn iterate(&mut self, iterations: u32) {
        let ones = vec![1.0; G::CARDS];
        for _ in 0..iterations {
            self.iteration += 1;
            for player in 0..2 {
                self.values("", player, Own::Learn, &ones, &ones);
                self.apply();
            }
        }
    }

    fn step(&self) -> Step {
        Rule::DCFR.step(self.iteration)
    }

    fn apply(&mut self) {
        let step = self.step();
        for cell in self.cells.values_mut().filter(|cell| !cell.gain.is_empty()) {
            for (regret, gain) in cell.regret.iter_mut().zip(cell.gain.drain(..)) {
                let kept = if *regret > 0.0 { step.positive } else { step.negative };
                *regret = *regret * f64::from(kept) + gain;
            }
            for (sum, reach) in cell.sum.iter_mut().zip(cell.reach.drain(..)) {
                *sum = *sum * f64::from(step.sum) + reach;
            }
        }
    }

    /// The counterfactual values of a player's cards at a history.
    pub(crate) fn values(
        &mut self,
        history: &str,
        p: usize,
        own: Own,
        opp: &[f64],
        reach: &[f64],
    ) -> Vec<f64> {
        let cards = G::CARDS;
        match self.game.node(history) {
            Node::End => {
                let pay = |card: usize, other: usize| {
                    let dealt = if p == 0 { [card, other] } else { [other, card] };
                    let payoff = self.game.payoff(history, dealt);
                    if p == 0 { payoff } else { -payoff }
                };
                let value = |card: usize| {
                    let others = (0..cards).filter(|&other| other != card);
                    others.map(|other| opp[other] * pay(card, other)).sum()
                };
                (0..cards).map(value).collect()
            }
            Node::Deal => {
                let mut sums = vec![0.0; cards];
                for public in 0..cards {
                    let next = format!("{history}{public}");
                    let [opp, reach] = [opp, reach].map(|reach| without(reach, public));
                    let values = self.values(&next, p, own, &opp, &reach);
                    for (card, (sum, value)) in sums.iter_mut().zip(values).enumerate() {
                        if card != public {
                            *sum += value / (cards - 2) as f64;
                        }
                    }
                }
                sums
            }
            Node::Decision(actor, actions) => {
                let sigma: Vec<Vec<f64>> = (0..cards)
                    .map(|card| self.frequencies(history, card, actions.len(), own == Own::Learn))
                    .collect();
                let after = |reach: &[f64], a: usize| -> Vec<f64> {
                    reach.iter().zip(&sigma).map(|(r, s)| r * s[a]).collect()
                };
                let mut below = Vec::new();
                for (a, &action) in actions.iter().enumerate() {
                    let next = format!("{history}{action}");
                    below.push(match actor == p {
                        true => self.values(&next, p, own, opp, &after(reach, a)),
                        false => self.values(&next, p, own, &after(opp, a), reach),
                    });
                }
                let value = |card: usize| -> f64 {
                    let all = below.iter().map(|v| v[card]);
                    match (actor == p, own) {
                        (false, _) => all.sum(),
                        (true, Own::Best) => all.fold(f64::NEG_INFINITY, f64::max),
                        (true, _) => all.zip(&sigma[card]).map(|(v, s)| v * s).sum(),
                    }
                };
                let value: Vec<f64> = (0..cards).map(value).collect();
                if actor == p && own == Own::Learn {
                    for card in 0..cards {
                        let name = ((self.names)(history, card), card);
                        let cell = self.cells.get_mut(&name).expect("visited above");
                        cell.gain.resize(actions.len(), 0.0);
                        cell.reach.resize(actions.len(), 0.0);
                        for a in 0..actions.len() {
                            cell.gain[a] += below[a][card] - value[card];
                            cell.reach[a] += reach[card] * sigma[card][a];
                        }
                    }
                }
                value
            }
        }
    }

    fn frequencies(&mut self, at: &str, card: usize, actions: usize, learn: bool) -> Vec<f64> {
        let cell = self.cells.entry(((self.names)(at, card), card)).or_default();
        cell.regret.resize(actions, 0.0);
        cell.sum.resize(actions, 0.0);
        matched(if learn { &cell.regret } else { &cell.sum })
    }

    /// The best response value against a player, per hand.
    pub(crate) fn exploited(&mut self, player: usize) -> f64 {
        let ones = vec![1.0; G::CARDS];
        let values = self.values("", 1 - player, Own::Best, &ones, &ones);
        values.iter().sum::<f64>() / (G::CARDS * (G::CARDS - 1)) as f64
    }

    /// Half of what both best responses win.
    pub(crate) fn exploitability(&mut self) -> f64 {
        (self.exploited(0) + self.exploited(1)) / 2.0
    }

    /// The reach of both players after a deal, and the histories of all deals.
    fn deals(&mut self) -> Vec<(String, [Vec<f64>; 2])> {
        let ones = vec![1.0; G::CARDS];
        let (mut open, mut found) = (vec![(String::new(), [ones.clone(), ones])], Vec::new());
        while let Some((history, reach)) = open.pop() {
            match self.game.node(&history) {
                Node::End => {}
                Node::Deal => found.extend((0..G::CARDS).map(|public| {
                    (format!("{history}{public}"), reach.each_ref().map(|r| without(r, public)))
                })),
                Node::Decision(actor, actions) => {
                    for (a, action) in actions.iter().enumerate() {
                        let mut reach = reach.clone();
                        for (card, reach) in reach[actor].iter_mut().enumerate() {
                            *reach *= self.frequencies(&history, card, actions.len(), false)[a];
                        }
                        open.push((format!("{history}{action}"), reach));
                    }
                }
            }
        }
        found
    }

    /// The profile with every subgame after a deal solved again for each player in turn, behind a
    /// gadget: the two profiles in which one player's strategy is the new one.
    pub(crate) fn resolved(&mut self, kind: GadgetKind, iterations: u32) -> [Cfr<G>; 2] {
        let deals = self.deals();
        [0, 1].map(|seat| {
            // Strategies of the new subgames know every card; those before are kept.
            let mut whole = self.clone();
            whole.names = exact;
            let old = std::mem::take(&mut whole.cells);
            for ((name, card), cell) in old {
                if !name.contains(|c: char| c.is_ascii_digit() || c == '*') {
                    whole.cells.insert((name, card), cell);
                }
            }
            for (root, reach) in &deals {
                whole.cells.extend(self.subgame(root, reach, seat, kind, iterations));
            }
            whole
        })
    }

    /// Our strategy, and the opponent's, in a subgame.
    fn subgame(
        &mut self,
        root: &str,
        reach: &[Vec<f64>; 2],
        seat: usize,
        kind: GadgetKind,
        iterations: u32,
    ) -> HashMap<(String, usize), Cell> {
        let (own, opponent) = (&reach[seat], 1 - seat);
        let public = root.find(|c: char| c.is_ascii_digit()).expect("after a deal");
        let public = root[public..=public].parse().expect("a digit");
        let all: f64 = own.iter().sum();
        let met: Vec<f64> = without(&own.iter().map(|r| all - r).collect::<Vec<_>>(), public);
        let best = self.values(root, opponent, Own::Best, own, &reach[opponent]);
        let narrow = |row: &[f64]| row.iter().map(|&x| x as f32).collect::<Vec<f32>>();
        let each = best.iter().zip(&met).map(|(b, m)| if *m > 0.0 { b / m } else { 0.0 });
        let alternative: Vec<f64> = each.collect();
        let range = narrow(&reach[opponent]);
        let mut gadget = Gadget::new(kind, &narrow(&met), &narrow(&alternative), &range);
        let mut solve = Cfr::new(self.game.clone(), exact);
        for _ in 0..iterations {
            solve.iteration += 1;
            for player in 0..2 {
                let mut row = vec![0.0f32; G::CARDS];
                gadget.reach(&mut row);
                let row: Vec<f64> = row.into_iter().map(f64::from).collect();
                if player == seat {
                    solve.values(root, player, Own::Learn, &without(&row, public), own);
                } else {
                    let entering = without(&row, public);
                    let values = solve.values(root, player, Own::Learn, own, &entering);
                    gadget.learn(solve.step(), &narrow(&without(&values, public)));
                }
                solve.apply();
            }
        }
        solve.cells
    }
}

fn without(row: &[f64], card: usize) -> Vec<f64> {
    let mut row = row.to_vec();
    row[card] = 0.0;
    row
}
