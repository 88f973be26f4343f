//! Local best response: what a simple opponent wins from a strategy, and so a lower bound on what
//! the best one does.
//!
//! # The player
//! As in Lisý and Bowling, "Equilibrium Approximation Quality of Current No-Limit Poker Bots"
//! (2017). It knows the strategy and keeps the opponent's range: the chance of every hole, by Bayes'
//! rule from all that the opponent did. At each of its decisions it takes the action that would be
//! best if both checked and called from there to the end:
//!
//! * a fold loses what was put in;
//! * a check or call wins by the equity against the range;
//! * a bet or raise wins the pot where the range folds to it, and wins by the equity against the
//!   rest of the range where it does not, which is taken to call.
//!
//! Equities are exact on every street, over all cards that can still come. Sizes are those of the
//! strategy's own betting tree.
//!
//! # The measure
//! What that player wins is estimated from deals of its hole and a board; it plays both seats. The
//! opponent's hole is not dealt: all of them are played at once, as the range, and every answer of
//! the opponent is followed by its weight, until a line is so unlikely that one answer is drawn by
//! its chance. A hand that is all-in is paid by its equity. None of that changes the mean.

use lethe_cards::{Board, Card, CardSet, Deck, Hole, Matchups, River, Street};
use lethe_compute::{Cancelled, Job};
use lethe_game::{Action, NodeId, NodeKind, Tree};

use super::Policy;
use super::hand::{after_deal, big_blind, draw, most_actions};
use super::winnings::Winnings;
use super::workers;
use crate::random::{Domain, Random};

/// Deals that a thread takes at once.
const CHUNK: u64 = 8;
/// The holes of an opponent: those without the own two cards.
const OTHERS: usize = 50 * 49 / 2;
/// How many of them each street's board leaves.
const LEFT: [f64; 4] = [1225.0, 1081.0, 1035.0, 990.0];
/// Lines that the opponent plays less often than this are sampled.
const FOLLOWED: f64 = 1.0 / 32.0;

/// The local best response to a strategy.
pub struct LocalBestResponse<'a, P: ?Sized> {
    /// The betting.
    pub tree: &'a Tree,
    /// The strategy. One in cells must be one for this tree.
    pub policy: &'a P,
    /// The first street on which the response may bet and raise. Before it, it only folds, checks
    /// and calls, or bets where it could only fold. Waiting often wins more: an early bet shows what
    /// the opponent would otherwise pay for later.
    pub bets_from: Street,
}

impl<P: Policy + ?Sized> LocalBestResponse<'_, P> {
    /// Plays a number of deals, each in both seats; returns what the response won.
    ///
    /// The result depends on the seed but not on the number of threads.
    pub fn play(&self, deals: u64, seed: u64, job: Job<'_>) -> Result<Winnings, Cancelled> {
        job.begin("local best response", deals);
        let unit = 1000.0 / big_blind(self.tree);
        let play = |walker: &mut Walker<'_, P>, number| {
            let mut random = Random::new(Domain::LocalBestResponse, seed, number);
            let cards: [Card; 7] = random.cards(CardSet::EMPTY);
            walker.deal(cards, random);
            [0, 1].map(|seat| walker.play(seat) * unit)
        };
        workers::play((deals, CHUNK), job, || Walker::new(self), play)
    }
}

/// What the response knows of one street.
struct View {
    board: Board,
    /// Whether the rest is of this board.
    ready: bool,
    /// The hands of all holes, in the order of the board's deck.
    row: Vec<u32>,
    /// The hands that occur, ascending.
    distinct: Vec<u32>,
    /// By opponent: 1, or 0 where the board blocks it.
    alive: Vec<f32>,
    /// By opponent: the place of its hand in `distinct`.
    local: Vec<u16>,
    /// By opponent: the response's equity; of no meaning where the board blocks it.
    equity: Vec<f32>,
    has_equity: bool,
}

/// One thread's scratch.
pub(super) struct Walker<'a, P: ?Sized> {
    lbr: &'a LocalBestResponse<'a, P>,
    seat: usize,
    own: Hole,
    others: Vec<Hole>,
    views: [View; 4],
    random: Random,
    /// Rows of the opponent's weights, by depth; those of one decision lie side by side.
    rows: Vec<f32>,
    shares: Vec<f32>,
    /// Frequencies by hand and action.
    table: Vec<f32>,
    counts: Vec<u16>,
    /// The chance from which on all answers of a line are followed.
    followed: f64,
}

impl<'a, P: Policy + ?Sized> Walker<'a, P> {
    pub(super) fn new(lbr: &'a LocalBestResponse<'a, P>) -> Walker<'a, P> {
        Walker {
            lbr,
            seat: 0,
            own: Hole::from_index(0).expect("below 1,326"),
            others: Vec::with_capacity(OTHERS),
            views: Street::ALL.map(|street| View {
                board: Board::EMPTY,
                ready: false,
                row: vec![0; Deck::row_len(street)],
                distinct: Vec::new(),
                alive: vec![0.0; OTHERS],
                local: vec![0; OTHERS],
                equity: vec![0.0; OTHERS],
                has_equity: false,
            }),
            random: Random::new(Domain::LocalBestResponse, 0, 0),
            rows: Vec::new(),
            shares: vec![0.0; most_actions(lbr.tree)],
            table: Vec::new(),
            counts: vec![0; OTHERS],
            followed: FOLLOWED,
        }
    }

    /// Deals a hole and a board.
    pub(super) fn deal(&mut self, cards: [Card; 7], random: Random) {
        self.own = Hole::new(cards[0], cards[1]).expect("cards differ");
        self.others.clear();
        self.others.extend(Deck::without(self.own.set()).holes());
        for (view, street) in self.views.iter_mut().zip(Street::ALL) {
            view.board = Board::new(&cards[2..2 + street.board_len()]).expect("cards differ");
            (view.ready, view.has_equity) = (false, false);
        }
        self.random = random;
    }

    /// What the response wins on average with its hole on this board in this seat, in chips.
    pub(super) fn play(&mut self, seat: usize) -> f64 {
        self.seat = seat;
        self.reserve(0, 1);
        self.rows[..OTHERS].fill(1.0);
        self.see(Street::Preflop);
        self.walk(self.lbr.tree.root(), 0, 1.0)
    }

    /// Makes room for `count` rows from row `first` on.
    fn reserve(&mut self, first: usize, count: usize) {
        let needed = (first + count) * OTHERS;
        if self.rows.len() < needed {
            self.rows.resize(needed, 0.0);
        }
    }

    /// What the response wins from a node on, summed over the opponents by their weights in `row`
    /// and divided by how many there are. Rows after it are free; `chance` is that of the line.
    fn walk(&mut self, node: NodeId, row: usize, chance: f64) -> f64 {
        let tree = self.lbr.tree;
        let street = tree.node(node).street();
        match tree.node(node).kind() {
            NodeKind::Fold(_) => {
                let total = total(self.row(row));
                self.folded(node) * total / LEFT[street.index()]
            }
            NodeKind::Showdown => self.calls_down(node, street, row) / LEFT[street.index()],
            NodeKind::Chance => {
                let next = after_deal(tree, node);
                if tree.node(next).kind() == NodeKind::Showdown {
                    return self.calls_down(next, street, row) / LEFT[street.index()];
                }
                let street = tree.node(next).street();
                self.see(street);
                self.reserve(row, 2);
                let (before, after) = self.rows.split_at_mut((row + 1) * OTHERS);
                let alive = &self.views[street.index()].alive;
                let from = &before[row * OTHERS..];
                for ((out, x), alive) in after[..OTHERS].iter_mut().zip(from).zip(alive) {
                    *out = x * alive;
                }
                self.walk(next, row + 1, chance)
            }
            NodeKind::Decision(player) if player.index() == self.seat => {
                let best = self.choose(node, row);
                self.walk(tree.children(node)[best], row, chance)
            }
            NodeKind::Decision(_) => self.answer(node, row, chance),
        }
    }

    fn row(&self, row: usize) -> &[f32] {
        &self.rows[row * OTHERS..(row + 1) * OTHERS]
    }

    /// Follows the opponent's actions, or one of them where the line is unlikely.
    fn answer(&mut self, node: NodeId, row: usize, chance: f64) -> f64 {
        let tree = self.lbr.tree;
        let children = tree.children(node);
        let street = tree.node(node).street();
        let actions = children.len();
        self.fill_table(node, street);
        self.reserve(row + 1, actions);
        let (before, after) = self.rows.split_at_mut((row + 1) * OTHERS);
        let from = &before[row * OTHERS..];
        let local = &self.views[street.index()].local;
        for (a, out) in after.chunks_exact_mut(OTHERS).take(actions).enumerate() {
            for ((out, &x), &local) in out.iter_mut().zip(from).zip(local) {
                *out = x * self.table[local as usize * actions + a];
            }
        }
        let all = total(self.row(row));
        if all <= 0.0 {
            return 0.0;
        }
        if chance < self.followed {
            for a in 0..actions {
                self.shares[a] = (total(self.row(row + 1 + a)) / all) as f32;
            }
            let chosen = draw(&self.shares[..actions], self.random.fraction());
            let share = self.shares[chosen] / self.shares[..actions].iter().sum::<f32>();
            self.rows.copy_within(
                (row + 1 + chosen) * OTHERS..(row + 2 + chosen) * OTHERS,
                (row + 1) * OTHERS,
            );
            let scale = 1.0 / share;
            self.rows[(row + 1) * OTHERS..(row + 2) * OTHERS].iter_mut().for_each(|x| *x *= scale);
            return self.walk(children[chosen], row + 1, chance);
        }
        // The rows of actions not yet followed stay below those of the one that is, so the last
        // comes first.
        let mut sum = 0.0;
        for a in (0..actions).rev() {
            let share = total(self.row(row + 1 + a)) / all;
            if share > 0.0 {
                sum += self.walk(children[a], row + 1 + a, chance * share);
            }
        }
        sum
    }

    /// The place of the action that is best if both check and call afterwards.
    fn choose(&mut self, node: NodeId, row: usize) -> usize {
        let tree = self.lbr.tree;
        let street = tree.node(node).street();
        let actions = tree.actions(node);
        let passive = actions.iter().any(|action| matches!(action, Action::Check | Action::Call));
        let mut best = (0, f64::NEG_INFINITY);
        for (place, (&action, &child)) in actions.iter().zip(tree.children(node)).enumerate() {
            let value = match action {
                Action::Fold => self.folded(child) * total(self.row(row)),
                Action::Check | Action::Call => self.calls_down(child, street, row),
                _ if passive && street < self.lbr.bets_from => continue,
                _ => self.bets(child, street, row),
            };
            if value > best.1 {
                best = (place, value);
            }
        }
        best.0
    }

    /// The value of a bet that leads to a decision of the opponent.
    fn bets(&mut self, answer: NodeId, street: Street, row: usize) -> f64 {
        let tree = self.lbr.tree;
        let fold = tree.actions(answer).iter().position(|&action| action == Action::Fold);
        let Some(fold) = fold else { return self.calls_down(answer, street, row) };
        let pay = self.folded(tree.children(answer)[fold]);
        let actions = tree.actions(answer).len();
        self.fill_table(answer, street);
        self.see_equity(street);
        let view = &self.views[street.index()];
        let (mut folds, mut stays, mut wins) = (0.0, 0.0, 0.0);
        for ((&x, &local), &equity) in self.row(row).iter().zip(&view.local).zip(&view.equity) {
            let folded = x * self.table[local as usize * actions + fold];
            let stayed = x - folded;
            folds += f64::from(folded);
            stays += f64::from(stayed);
            wins += f64::from(stayed * equity);
        }
        let [win, lose] = self.at_showdown(answer);
        pay * folds + win * wins + lose * (stays - wins)
    }

    /// The value of a showdown for what is put in at a node once it is called.
    fn calls_down(&mut self, node: NodeId, street: Street, row: usize) -> f64 {
        self.see_equity(street);
        let equity = &self.views[street.index()].equity;
        let (mut all, mut wins) = (0.0, 0.0);
        for (&x, &equity) in self.row(row).iter().zip(equity) {
            all += f64::from(x);
            wins += f64::from(x * equity);
        }
        let [win, lose] = self.at_showdown(node);
        win * wins + lose * (all - wins)
    }

    /// What a win and a loss pay at a showdown for what is put in at a node once it is called; a tie
    /// pays the mean.
    fn at_showdown(&self, node: NodeId) -> [f64; 2] {
        let game = self.lbr.tree.game();
        let [oop, ip] = self.lbr.tree.node(node).contributed();
        let put = oop.max(ip);
        let pot = game.pot() + 2 * put;
        let lose = -f64::from(put) - f64::from(game.pot()) / 2.0;
        [f64::from(pot) - game.rake().of(pot) + lose, lose]
    }

    /// What a fold pays to the response.
    fn folded(&self, node: NodeId) -> f64 {
        let outcome = self.lbr.tree.outcome(node).expect("a fold ends the hand");
        outcome.payoffs(outcome.winner)[self.seat] - outcome.ante()
    }

    /// The strategy at a decision, for the hands that occur.
    fn fill_table(&mut self, node: NodeId, street: Street) {
        let &LocalBestResponse { tree, policy, .. } = self.lbr;
        let actions = tree.actions(node).len();
        let distinct = &self.views[street.index()].distinct;
        self.table.resize(distinct.len() * actions, 0.0);
        for (&hand, shares) in distinct.iter().zip(self.table.chunks_exact_mut(actions)) {
            policy.frequencies(tree, node, hand, shares);
        }
    }

    /// Makes the opponents' hands on a street ready.
    fn see(&mut self, street: Street) {
        let view = &mut self.views[street.index()];
        if view.ready {
            return;
        }
        view.ready = true;
        let deck = Deck::without(view.board.set());
        self.lbr.policy.hands(&view.board, &mut view.row);
        let (own, row) = (self.own.set(), &view.row);
        view.distinct.clear();
        let apart = deck.holes().zip(row).filter(|(hole, _)| !hole.set().intersects(own));
        view.distinct.extend(apart.map(|(_, &hand)| hand));
        view.distinct.sort_unstable();
        view.distinct.dedup();
        for (i, &hole) in self.others.iter().enumerate() {
            let slot = deck.slot(hole);
            view.alive[i] = if slot.is_some() { 1.0 } else { 0.0 };
            let place = slot.map_or(0, |slot| {
                view.distinct.binary_search(&row[slot]).expect("every hand is there")
            });
            view.local[i] = place as u16;
        }
    }

    /// Makes the equity against every opponent on a street ready.
    fn see_equity(&mut self, street: Street) {
        let view = &mut self.views[street.index()];
        if view.has_equity {
            return;
        }
        view.has_equity = true;
        if street == Street::Preflop {
            let matchups = Matchups::shipped();
            for (equity, &other) in view.equity.iter_mut().zip(&self.others) {
                let tally = matchups.get(self.own, other).expect("holes differ");
                let twice = (2 * tally.wins + tally.ties) as f32;
                *equity = twice / (2 * tally.total) as f32;
            }
            return;
        }
        equities(self.own, &view.board, &mut self.counts, &mut view.equity);
    }
}

#[cfg(test)]
impl<P: Policy + ?Sized> Walker<'_, P> {
    pub(super) fn set_followed(&mut self, followed: f64) {
        self.followed = followed;
    }

    pub(super) fn equities_of(&mut self, street: Street) -> impl Iterator<Item = (Hole, f32)> {
        self.see_equity(street);
        self.others.iter().copied().zip(self.views[street.index()].equity.iter().copied())
    }
}

fn total(row: &[f32]) -> f64 {
    row.iter().map(|&x| f64::from(x)).sum()
}

/// Writes the exact equity of a hole on a board against every hole that shares no card with it, in
/// the order of the deck without it; of no meaning against those on the board.
fn equities(own: Hole, board: &Board, counts: &mut [u16], equities: &mut [f32]) {
    let deck = Deck::without(own.set());
    let rest = Deck::without(own.set() | board.set());
    counts.fill(0);
    let mut add = |river: CardSet| {
        let strengths = River::new(river).strengths();
        let strength = strengths.get(own);
        strengths.for_each_hole(&deck, counts, |count, other| {
            *count += u16::from(other < strength) + u16::from(other <= strength);
        });
    };
    let cards = rest.cards();
    let (runouts, open) = match board.street() {
        Street::River => {
            add(board.set());
            (1, 1)
        }
        Street::Turn => {
            cards.iter().for_each(|&card| add(board.set() | card.into()));
            (46, 44)
        }
        _ => {
            rest.holes().for_each(|runout| add(board.set() | runout.set()));
            (1081, 990)
        }
    };
    // Where a runout blocks an opponent its strength is 0, which was counted as a win.
    let blocked = 2 * (runouts - open);
    let scale = 1.0 / (2 * open) as f32;
    for (equity, &count) in equities.iter_mut().zip(counts.iter()) {
        *equity = f32::from(count.saturating_sub(blocked)) * scale;
    }
}
