//! `Duel`: matches of policies and agents over duplicate deals, with records and luck removed.

use lethe_agent::{Agent, AgentError, HandState};
use lethe_blueprint::{MatchDeal, Policy, Tally, ValuesError, Winnings};
use lethe_cards::{Board, Hole, Street};
use lethe_compute::{Cancelled, Job};
use lethe_game::{Action, NodeKind, Player, Tree};
use rayon::prelude::*;

use crate::aivat::{Baseline, Ending, Step, Trace, View, hands, results, rows_of, shrink};
use crate::record::PlayedHand;

/// Deals that a thread takes at once where nobody searches.
const CHUNK: u64 = 32;
/// Chunks between two times that records are handed over.
const CHUNKS: u64 = 64;

/// A player of a [`Duel`].
#[derive(Clone, Copy)]
pub enum Contestant<'a> {
    /// One that acts by frequencies it looks up.
    Policy(&'a dyn Policy),
    /// One that searches.
    Agent(&'a Agent<'a>),
}

/// Two players, of whom some may search, and the game they play.
///
/// Deals, draws and payoffs are those of a [`Match`](lethe_blueprint::Match): each deal is played twice with
/// seats swapped, and an all-in pays its exact equity.
#[derive(Clone, Copy)]
pub struct Duel<'a> {
    /// The betting. All players must be for this tree.
    pub tree: &'a Tree,
    /// The players.
    pub players: [Contestant<'a>; 2],
    /// Their names in records.
    pub names: [&'a str; 2],
    /// What luck is removed by.
    pub baseline: Option<&'a Baseline<'a>>,
}

/// What the first player of a duel won.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DuelResult {
    /// As it was.
    pub raw: Winnings,
    /// With luck removed, if there was a baseline.
    pub luck_removed: Option<Winnings>,
    /// By which factor that shrinks the standard deviation of a deal.
    pub shrink: Option<f64>,
}

/// A hand that was played: what player 0 won in mbb, raw and with luck removed, and its record.
struct Hand {
    raw: f64,
    luck_removed: f64,
    record: Option<PlayedHand>,
}

impl Duel<'_> {
    /// Plays deals `0..deals` of a seed. `record` is called with every hand, in order; without it none is
    /// recorded. Results do not depend on the number of threads.
    ///
    /// # Errors
    /// If the job is cancelled, an agent has no answer, or values are damaged.
    pub fn play<E>(
        &self,
        deals: u64,
        seed: u64,
        job: Job<'_>,
        mut record: Option<&mut dyn FnMut(PlayedHand) -> Result<(), E>>,
    ) -> Result<DuelResult, DuelError<E>> {
        job.begin("hands", deals);
        let searches = self.players.iter().any(|player| matches!(player, Contestant::Agent(_)));
        let recorded = record.is_some();
        let (mut raw, mut luck_removed) = (Tally::default(), Tally::default());
        let mut take = |hands: [Hand; 2]| -> Result<(), DuelError<E>> {
            raw.add(hands.each_ref().map(|hand| hand.raw));
            luck_removed.add(hands.each_ref().map(|hand| hand.luck_removed));
            for hand in hands {
                if let (Some(record), Some(hand)) = (&mut record, hand.record) {
                    record(hand).map_err(DuelError::Record)?;
                }
            }
            Ok(())
        };
        if searches {
            for number in 0..deals {
                take(self.deal(seed, number, recorded, job.silent())?)?;
                job.advance(1);
            }
        } else {
            for first in (0..deals).step_by((CHUNK * CHUNKS) as usize) {
                let chunks = (0..CHUNKS).map(|i| first + i * CHUNK).filter(|&at| at < deals);
                let chunks: Vec<u64> = chunks.collect();
                let play = |&at: &u64| -> Result<Vec<[Hand; 2]>, PlayError> {
                    let numbers = at..deals.min(at + CHUNK);
                    let count = numbers.end - numbers.start;
                    let hands =
                        numbers.map(|number| self.deal(seed, number, recorded, job.silent()));
                    let hands = hands.collect::<Result<_, _>>()?;
                    job.advance(count);
                    Ok(hands)
                };
                let played = job.install(|| chunks.par_iter().map(play).collect::<Vec<_>>());
                for hands in played {
                    hands?.into_iter().try_for_each(&mut take)?;
                }
            }
        }
        let raw = raw.winnings();
        let luck_removed = self.baseline.map(|_| luck_removed.winnings());
        let shrink = luck_removed.and_then(|less| shrink(raw.overall, less.overall));
        Ok(DuelResult { raw, luck_removed, shrink })
    }

    /// Plays a deal with the first player as the big blind and as the small blind.
    fn deal(
        &self,
        seed: u64,
        number: u64,
        recorded: bool,
        job: Job<'_>,
    ) -> Result<[Hand; 2], PlayError> {
        let deal = MatchDeal::new(seed, number);
        let play = |first: Player| {
            job.check()?;
            let number = 2 * number + 1 + first.index() as u64;
            self.hand(&deal, first, number, recorded, job)
        };
        Ok([play(Player::Oop)?, play(Player::Ip)?])
    }

    /// Plays a hand with the first player in a seat.
    fn hand(
        &self,
        deal: &MatchDeal,
        first: Player,
        number: u64,
        recorded: bool,
        job: Job<'_>,
    ) -> Result<Hand, PlayError> {
        let tree = self.tree;
        let mut draws = deal.draws();
        let mut node = tree.root();
        let mut steps = Vec::new();
        let mut actions = Vec::new();
        // The street on which the last action was taken.
        let mut street = Street::Preflop;
        let mut seen = Seen::default();
        while !tree.node(node).is_terminal() {
            let NodeKind::Decision(player) = tree.node(node).kind() else {
                node = tree.children(node)[0];
                continue;
            };
            street = tree.node(node).street();
            let who = usize::from(player != first);
            let hole = deal.holes[player.index()];
            let board = deal.board_on(street);
            let place = match self.players[who] {
                Contestant::Policy(policy) if self.baseline.is_none() => {
                    let mut shares = vec![0.0; tree.children(node).len()];
                    policy.frequencies(tree, node, policy.hand(hole, &board), &mut shares);
                    draws.place(&shares)
                }
                player => {
                    let rows = match player {
                        Contestant::Policy(policy) => {
                            let hands = seen.hands(who, policy, &board);
                            rows_of(policy, tree, node, &board, hands)
                        }
                        Contestant::Agent(agent) => {
                            let state = HandState {
                                seat: tree.node(node).player().expect("a decision"),
                                hole,
                                stack: tree.game().stack() + tree.game().pot() / 2,
                                board,
                                actions: actions.clone(),
                                number,
                            };
                            agent_rows(agent, &state, tree.actions(node), job)?
                        }
                    };
                    let own = rows.iter().skip(hole.index()).step_by(Hole::COUNT);
                    let place = draws.place(&own.copied().collect::<Vec<f32>>());
                    steps.push(Step::in_tree(tree, node, Some(rows), place));
                    place
                }
            };
            actions.push(tree.actions(node)[place]);
            node = tree.children(node)[place];
        }
        let outcome = tree.outcome(node).expect("the hand is over");
        let own = first.index();
        let ending = match tree.node(node).kind() {
            NodeKind::Fold(_) => {
                Ending::Fold(outcome.payoffs(outcome.winner)[own] - outcome.ante())
            }
            _ => {
                let pays = [outcome.win(), outcome.tie(), outcome.lose()];
                Ending::Showdown { street, pays: pays.map(|pay| pay - outcome.ante()) }
            }
        };
        let holes = deal.holes;
        let chips = match ending {
            Ending::Fold(chips) => chips,
            Ending::Showdown { street, pays } => {
                let board = deal.board_on(street);
                let found = results(holes[own], &board, &[holes[1 - own]], usize::MAX)[0];
                found.iter().zip(pays).map(|(share, pay)| share * pay).sum()
            }
        };
        let unit = 1000.0 / f64::from(tree.node(tree.root()).contributed()[0]);
        let known = holes.map(Some);
        let luck_removed = match self.baseline {
            None => 0.0,
            Some(baseline) => {
                let (view, board) = (View::Both, deal.board);
                let trace = Trace { own: first, view, holes: known, board, steps, ending };
                baseline.luck_removed(&trace)?
            }
        };
        let record = recorded.then(|| self.record(deal, first, number, actions, (street, ending)));
        Ok(Hand { raw: chips * unit, luck_removed: luck_removed * unit, record })
    }

    fn record(
        &self,
        deal: &MatchDeal,
        first: Player,
        number: u64,
        actions: Vec<Action>,
        (street, ending): (Street, Ending),
    ) -> PlayedHand {
        let game = self.tree.game();
        let ante = game.pot() / 2;
        let [big_blind, small_blind] = game.state().put;
        let dealt = match ending {
            Ending::Showdown { .. } => Street::River,
            Ending::Fold(_) => street,
        };
        let mut names = self.names.map(str::to_owned);
        if first == Player::Ip {
            names.swap(0, 1);
        }
        PlayedHand {
            names,
            ante,
            holes: deal.holes.map(Some),
            board: deal.board_on(dealt),
            actions,
            ..PlayedHand::new(number, [game.stack() + ante; 2], small_blind, big_blind)
        }
    }
}

/// What the holes of the latest board are to each policy.
#[derive(Default)]
struct Seen([Option<(Board, Vec<u32>)>; 2]);

impl Seen {
    fn hands(&mut self, who: usize, policy: &dyn Policy, board: &Board) -> &[u32] {
        let seen = &mut self.0[who];
        if seen.as_ref().is_none_or(|(known, _)| known != board) {
            *seen = Some((*board, hands(policy, board)));
        }
        &seen.as_ref().expect("just filled").1
    }
}

/// An agent's frequencies in the order of a node's actions.
fn agent_rows(
    agent: &Agent<'_>,
    state: &HandState,
    actions: &[Action],
    job: Job<'_>,
) -> Result<Vec<f32>, PlayError> {
    let decision = agent.play(state, job)?;
    if decision.actions == actions {
        return Ok(decision.frequencies);
    }
    let mut rows = vec![0.0; actions.len() * Hole::COUNT];
    for (action, row) in decision.actions.iter().zip(decision.frequencies.chunks_exact(Hole::COUNT))
    {
        let place = actions.iter().position(|known| known == action);
        let place = place.ok_or(PlayError::OffTree(*action))?;
        rows[place * Hole::COUNT..][..Hole::COUNT].copy_from_slice(row);
    }
    Ok(rows)
}

/// A hand that cannot be played.
#[derive(Debug)]
enum PlayError {
    Cancelled(Cancelled),
    Agent(AgentError),
    OffTree(Action),
    Values(ValuesError),
}

impl From<Cancelled> for PlayError {
    fn from(cancelled: Cancelled) -> PlayError {
        PlayError::Cancelled(cancelled)
    }
}

impl From<AgentError> for PlayError {
    fn from(error: AgentError) -> PlayError {
        PlayError::Agent(error)
    }
}

impl From<ValuesError> for PlayError {
    fn from(error: ValuesError) -> PlayError {
        PlayError::Values(error)
    }
}

/// A duel without a result. `E` is what recording may fail with.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DuelError<E> {
    /// The job was cancelled.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// An agent has no answer.
    #[error(transparent)]
    Agent(AgentError),
    /// An agent would take an action that the game does not have.
    #[error("an agent's action '{0}' is not in the tree of the game")]
    OffTree(Action),
    /// Values that cannot be read.
    #[error(transparent)]
    Values(ValuesError),
    /// A hand could not be recorded.
    #[error(transparent)]
    Record(E),
}

impl<E> From<PlayError> for DuelError<E> {
    fn from(error: PlayError) -> DuelError<E> {
        match error {
            PlayError::Cancelled(cancelled) => DuelError::Cancelled(cancelled),
            PlayError::Agent(error) => DuelError::Agent(error),
            PlayError::OffTree(action) => DuelError::OffTree(action),
            PlayError::Values(error) => DuelError::Values(error),
        }
    }
}
