//! A table and its finished hands as the API shows them.

use std::sync::atomic::Ordering;

use lethe_agent::SearchFrom;
use lethe_game::Player;
use lethe_kit::action::{blind, in_state};
use lethe_play::{
    ActedView, AdviceView, End, FinishedHand, JudgedView, SessionScore, TableView, Who,
};
use serde::Serialize;

use super::{State, Table, Task};

/// The most hands that are listed; all of them are in the hand history.
const LISTED: usize = 50;

/// A table as the person sees it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct PlayView {
    pub(crate) id: u64,
    /// The run whose blueprint plays.
    run: String,
    /// The person's seat: `sb`, `bb`, or `both` in turn.
    seat: &'static str,
    seed: u64,
    search: SearchFrom,
    iterations: u32,
    big_blind: u32,
    /// What is being computed.
    task: Option<TaskView>,
    /// Whether something is computed, or will be at once.
    busy: bool,
    /// Whether the person has stopped it.
    stopped: bool,
    error: Option<String>,
    /// Whether there are values by which luck is removed.
    has_values: bool,
    table: Option<TableView>,
    hint: Option<AdviceView>,
    score: SessionScore,
    given_up: GivenUp,
    /// The latest hands that are over, the last one first.
    hands: Vec<HandItem>,
}

/// What is being computed at a table.
#[derive(Clone, Copy, Debug, Serialize)]
struct TaskView {
    kind: Task,
    seconds: f64,
    /// The share that is done, where it is known.
    share: Option<f64>,
}

/// What the person's decisions gave up, as far as they were judged.
#[derive(Clone, Copy, Debug, Default, Serialize)]
struct GivenUp {
    /// Decisions with a value.
    decisions: usize,
    /// Hands that were judged.
    hands: usize,
    /// What was given up over all of them, in big blinds.
    bb: f64,
    /// The same per 100 hands.
    bb100: Option<f64>,
}

/// A hand that is over, in one line.
#[derive(Clone, Debug, Serialize)]
struct HandItem {
    number: u64,
    seat: &'static str,
    hole: String,
    board: String,
    won_bb: f64,
    /// What the person's decisions gave up, once they are judged; `None` as well where none has a value.
    loss_bb: Option<f64>,
    /// Whether the decisions were judged.
    judged: bool,
}

/// A hand that is over.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct FinishedView {
    #[serde(flatten)]
    item: HandItem,
    agents_hole: String,
    /// Whether it went to a showdown.
    showdown: bool,
    actions: Vec<ActedView>,
    /// The person's decisions, once they are judged.
    review: Option<Vec<JudgedView>>,
}

/// What judged decisions gave up, and how many of them have a value.
fn given_up(review: &[JudgedView]) -> (f64, usize) {
    let losses = review.iter().filter_map(|judged| judged.loss_bb);
    losses.fold((0.0, 0), |(sum, count), loss| (sum + loss, count + 1))
}

impl HandItem {
    fn of(state: &State, place: usize) -> Option<HandItem> {
        let FinishedHand { hand, person, won } = state.session.finished().get(place)?;
        let review = state.reviews.get(place);
        let loss = review.map(|review| given_up(review));
        Some(HandItem {
            number: hand.number,
            seat: blind(*person),
            hole: hand.holes[person.index()].map_or(String::new(), |hole| hole.to_string()),
            board: hand.board.to_string(),
            won_bb: *won as f64 / f64::from(hand.big_blind),
            loss_bb: loss.filter(|(_, count)| *count > 0).map(|(sum, _)| sum),
            judged: review.is_some(),
        })
    }
}

impl FinishedView {
    pub(super) fn of(state: &State, place: usize) -> Option<FinishedView> {
        let FinishedHand { hand, person, .. } = state.session.finished().get(place)?;
        let replay = hand.replay().ok()?;
        let agents = hand.holes[person.opponent().index()];
        let who = |player: Player| if player == *person { Who::You } else { Who::Agent };
        let actions = replay.played.iter().map(|played| ActedView {
            by: who(played.state.to_act),
            street: played.state.street.to_string(),
            action: in_state(&played.state, played.action),
        });
        Some(FinishedView {
            item: HandItem::of(state, place)?,
            agents_hole: agents.map_or(String::new(), |hole| hole.to_string()),
            showdown: replay.end == End::Showdown,
            actions: actions.collect(),
            review: state.reviews.get(place).cloned(),
        })
    }
}

impl PlayView {
    pub(super) fn of(table: &Table, state: &State) -> PlayView {
        let [done, all] = [0, 1].map(|at| table.units[at].load(Ordering::Relaxed) as f64);
        let task = state.task.map(|(kind, since)| TaskView {
            kind,
            seconds: since.elapsed().as_secs_f64(),
            share: (all > 0.0).then(|| (done / all).min(1.0)),
        });
        let (bb, decisions) = state
            .reviews
            .iter()
            .map(|review| given_up(review))
            .fold((0.0, 0), |(sum, count), (loss, more)| (sum + loss, count + more));
        let hands = state.reviews.len();
        let finished = state.session.finished().len();
        PlayView {
            id: table.id,
            run: table.setup.run.clone(),
            seat: table.setup.seat.map_or("both", blind),
            seed: table.setup.seed,
            search: table.setup.search,
            iterations: table.setup.iterations,
            big_blind: state.session.big_blind(),
            task,
            busy: state.task.is_some() || state.next().is_some(),
            stopped: state.stopped,
            error: state.error.clone(),
            has_values: state.has_values,
            table: state.session.table(),
            hint: state.hint.clone(),
            score: state.tally.score().opponent().into(),
            given_up: GivenUp {
                decisions,
                hands,
                bb,
                bb100: (hands > 0).then(|| 100.0 * bb / hands as f64),
            },
            hands: (0..finished)
                .rev()
                .take(LISTED)
                .filter_map(|place| HandItem::of(state, place))
                .collect(),
        }
    }
}
