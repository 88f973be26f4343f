//! Matches: hands dealt to two players, each twice with seats swapped.

use lethe_cards::equity::hole_vs_hole;
use lethe_cards::{Board, Hole, Street};
use lethe_compute::{Cancelled, Job};
use lethe_game::{NodeId, NodeKind, Tree};

use super::match_deal::{Draws, MatchDeal};
use super::winnings::Winnings;
use super::{Policy, workers};

/// Deals that a thread takes at once.
const CHUNK: u64 = 1024;

/// Two players and the game they play.
///
/// Every deal is played twice: the same cards on the same seats, the players swapped. Both hands draw
/// their actions by the same random numbers, so two identical players come out exactly even. A
/// hand that is all-in before the river is paid by its exact equity rather than by the cards that
/// would come, which changes no mean and takes luck out.
#[derive(Clone, Copy)]
pub struct Match<'a> {
    /// The betting.
    pub tree: &'a Tree,
    /// The players. A strategy in cells must be one for this tree.
    pub players: [&'a dyn Policy; 2],
}

impl Match<'_> {
    /// Plays a number of deals; returns what the first player won.
    ///
    /// The result depends on the seed but not on the number of threads.
    pub fn play(&self, deals: u64, seed: u64, job: Job<'_>) -> Result<Winnings, Cancelled> {
        job.begin("hands", deals);
        let unit = 1000.0 / big_blind(self.tree);
        let play = |table: &mut Table<'_>, number| {
            table.deal(seed, number);
            [table.hand(0)[0] * unit, table.hand(1)[1] * unit]
        };
        workers::play((deals, CHUNK), job, || Table::new(self), play)
    }
}

/// The big blind in chips.
pub(super) fn big_blind(tree: &Tree) -> f64 {
    // `Oop` is the big blind, and at the root it has put in no more.
    f64::from(tree.node(tree.root()).contributed()[0])
}

/// The most actions that a decision of a tree has.
pub(super) fn most_actions(tree: &Tree) -> usize {
    tree.ids().map(|id| tree.actions(id).len()).max().unwrap_or(0)
}

/// What comes after a chance node: the next decision, or the showdown if all chips are in.
pub(super) fn after_deal(tree: &Tree, mut node: NodeId) -> NodeId {
    while tree.node(node).kind() == NodeKind::Chance {
        node = tree.children(node)[0];
    }
    node
}

/// A table with cards on it.
pub(super) struct Table<'a> {
    game: &'a Match<'a>,
    holes: [Hole; 2],
    /// By street.
    boards: [Board; 4],
    /// What actions are drawn by, the same in both hands of a deal.
    draws: Draws,
    /// What each player sees in each seat on each street, once asked.
    hands: [[[Option<u32>; 4]; 2]; 2],
    /// How often seat 0 wins, ties and loses from each street on, once asked.
    results: [Option<[f64; 3]>; 4],
    shares: Vec<f32>,
}

impl<'a> Table<'a> {
    pub(super) fn new(game: &'a Match<'a>) -> Table<'a> {
        let deal = MatchDeal::new(0, 0);
        Table {
            game,
            holes: deal.holes,
            boards: Street::ALL.map(|street| deal.board_on(street)),
            draws: deal.draws(),
            hands: Default::default(),
            results: [None; 4],
            shares: vec![0.0; most_actions(game.tree)],
        }
    }

    /// Deals new cards.
    pub(super) fn deal(&mut self, seed: u64, number: u64) {
        let deal = MatchDeal::new(seed, number);
        self.holes = deal.holes;
        self.boards = Street::ALL.map(|street| deal.board_on(street));
        self.draws = deal.draws();
        self.hands = Default::default();
        self.results = [None; 4];
    }

    /// Plays the hand with the first player in this seat; returns what each seat won, in chips.
    pub(super) fn hand(&mut self, first: usize) -> [f64; 2] {
        let tree = self.game.tree;
        let mut draws = self.draws.clone();
        let mut node = tree.root();
        loop {
            match tree.node(node).kind() {
                NodeKind::Decision(player) => {
                    let seat = player.index();
                    let who = usize::from(seat != first);
                    let place = self.choose(node, seat, who, &mut draws);
                    node = tree.children(node)[place];
                }
                NodeKind::Chance => {
                    let street = tree.node(node).street();
                    node = after_deal(tree, node);
                    if tree.node(node).kind() == NodeKind::Showdown {
                        return self.showdown(node, street);
                    }
                }
                NodeKind::Showdown => return self.showdown(node, Street::River),
                NodeKind::Fold(_) => {
                    let outcome = tree.outcome(node).expect("a fold ends the hand");
                    return outcome.payoffs(outcome.winner).map(|pay| pay - outcome.ante());
                }
            }
        }
    }

    fn choose(&mut self, node: NodeId, seat: usize, who: usize, draws: &mut Draws) -> usize {
        let tree = self.game.tree;
        let policy = self.game.players[who];
        let street = tree.node(node).street().index();
        let (hole, board) = (self.holes[seat], &self.boards[street]);
        let hand = *self.hands[who][seat][street].get_or_insert_with(|| policy.hand(hole, board));
        let shares = &mut self.shares[..tree.children(node).len()];
        policy.frequencies(tree, node, hand, shares);
        draws.place(shares)
    }

    fn showdown(&mut self, node: NodeId, street: Street) -> [f64; 2] {
        let outcome = self.game.tree.outcome(node).expect("a showdown ends the hand");
        let (holes, board) = (self.holes, &self.boards[street.index()]);
        let [wins, ties, losses] =
            *self.results[street.index()].get_or_insert_with(|| result(holes, board));
        let [win, tie, lose] =
            [outcome.win(), outcome.tie(), outcome.lose()].map(|pay| pay - outcome.ante());
        // Both sums are made in one order, so that without rake they add up to zero exactly.
        [wins * win + ties * tie + losses * lose, losses * win + ties * tie + wins * lose]
    }
}

/// The place of the action that a fraction in [0, 1) falls on.
pub(super) fn draw(shares: &[f32], fraction: f32) -> usize {
    let mut left = fraction * shares.iter().sum::<f32>();
    let mut last = 0;
    for (place, &share) in shares.iter().enumerate() {
        if share > 0.0 {
            last = place;
            left -= share;
            if left < 0.0 {
                break;
            }
        }
    }
    last
}

/// How often the first of two holes wins, ties and loses over all boards that can follow.
pub(super) fn result([hole, other]: [Hole; 2], board: &Board) -> [f64; 3] {
    let tally = hole_vs_hole(hole, other, board).expect("the cards of a deal differ");
    [tally.wins, tally.ties, tally.losses()].map(|count| count as f64 / tally.total as f64)
}
