//! `Session`: hands of a person against an agent.

use lethe_agent::{Agent, AgentError};
use lethe_cards::{Board, Card, Hole, Street, evaluate};
use lethe_cluster::hash;
use lethe_compute::Job;
use lethe_game::{Action, BettingState, Chips, Game, HandConfig, Player};
use lethe_kit::action::{ActionView, blind, in_state};
use lethe_kit::deals::Deals;
use serde::Serialize;

use crate::advice::AdviceView;
use crate::aivat::{Baseline, ScoreError, ScoreTally, TraceError, View};
use crate::judge::JudgedView;
use crate::record::{End, PlayedHand, RecordError, Replay};
use crate::score::SessionScore;
use crate::words::{WordError, parse_action};

/// What sets the deals of sessions apart from all other random numbers.
const SESSION: u64 = 0x7365_7373_696f_6e00;

/// Hands of a person against an agent: who sits where, what was dealt, done and won.
///
/// A session holds no agent and computes nothing by itself: [`Session::answer`], [`Session::hint`] and
/// [`Session::review`] are given one. Seats alternate unless one is chosen; the person has the small blind in
/// the first hand. The cards are fixed by the seed. What an error leaves is what was there before.
///
/// ```no_run
/// use lethe_agent::Agent;
/// use lethe_compute::Job;
/// use lethe_play::{Session, SessionConfig};
///
/// # fn play(agent: &Agent<'_>, config: &lethe_game::HandConfig) -> Result<(), Box<dyn std::error::Error>> {
/// let mut session = Session::new(config, SessionConfig { seed: 7, ..SessionConfig::default() })?;
/// session.deal()?;
/// session.act("r 2.5x")?;
/// session.answer(agent, Job::default())?;
/// println!("{:?}", session.table());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Session {
    config: SessionConfig,
    rules: PlayedHand,
    game: Game,
    hand: Option<Hand>,
    finished: Vec<FinishedHand>,
    /// What the agent won, in the first `settled` of them.
    tally: ScoreTally,
    settled: usize,
}

/// What a session is played with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionConfig {
    /// What the cards are dealt by.
    pub seed: u64,
    /// The stack of both players at the start of each hand; that of the blueprint if `None`.
    pub stack: Option<Chips>,
    /// The person's seat in every hand; if `None`, seats alternate.
    pub seat: Option<Player>,
    /// The person's name in hand histories.
    pub person: String,
    /// The agent's name in hand histories.
    pub agent: String,
}

impl Default for SessionConfig {
    fn default() -> SessionConfig {
        let (person, agent) = ("you".to_owned(), "lethe".to_owned());
        SessionConfig { seed: 0, stack: None, seat: None, person, agent }
    }
}

/// The hand on the table.
#[derive(Clone, Debug)]
struct Hand {
    played: PlayedHand,
    replay: Replay,
    person: Player,
    /// The five cards of the board, dealt or not.
    runout: [Card; 5],
}

/// A hand that is over.
#[derive(Clone, Debug, PartialEq)]
pub struct FinishedHand {
    /// The hand, with both holes.
    pub hand: PlayedHand,
    /// The person's seat.
    pub person: Player,
    /// What the person won, in chips.
    pub won: i64,
}

impl Session {
    /// A session in the game of a blueprint.
    ///
    /// # Errors
    /// If the stack is deeper than the blueprint's, or no more than ante and big blind.
    pub fn new(blueprint: &HandConfig, config: SessionConfig) -> Result<Session, PlayError> {
        let stack = config.stack.unwrap_or(blueprint.stack);
        if stack > blueprint.stack {
            return Err(AgentError::TooDeep { stack, most: blueprint.stack }.into());
        }
        let HandConfig { small_blind, big_blind, ante, .. } = *blueprint;
        let rules = PlayedHand { ante, ..PlayedHand::new(0, [stack; 2], small_blind, big_blind) };
        let tally = ScoreTally::new(View::Both);
        let game = rules.game()?;
        Ok(Session { config, game, rules, hand: None, finished: Vec::new(), tally, settled: 0 })
    }

    /// What it is played with.
    pub fn config(&self) -> &SessionConfig {
        &self.config
    }

    /// The chips of a big blind.
    pub fn big_blind(&self) -> Chips {
        self.rules.big_blind
    }

    /// The hands that are over, in order.
    pub fn finished(&self) -> &[FinishedHand] {
        &self.finished
    }

    /// Adds the hands that were finished since the last time to the score, with luck removed if there is a
    /// baseline, which may take a while: the agent is asked again about each of its decisions.
    ///
    /// # Errors
    /// If the agent is cancelled or values are damaged; the same call then continues.
    pub fn settle(
        &mut self,
        agent: &Agent<'_>,
        baseline: Option<&Baseline<'_>>,
        job: Job<'_>,
    ) -> Result<(), PlayError> {
        while let Some(done) = self.finished.get(self.settled) {
            self.tally.add(&done.hand, done.person.opponent(), agent, baseline, job)?;
            self.settled += 1;
        }
        Ok(())
    }

    /// What the person has won in the hands that were settled.
    pub fn score(&self) -> SessionScore {
        self.tally.score().opponent().into()
    }

    /// Deals the next hand.
    ///
    /// # Errors
    /// If a hand is being played.
    pub fn deal(&mut self) -> Result<(), PlayError> {
        if self.hand.as_ref().is_some_and(|hand| !hand.is_over()) {
            return Err(PlayError::NotOver);
        }
        let number = self.finished.len() as u64 + 1;
        let seed = hash(hash(SESSION.wrapping_add(self.config.seed)) ^ hash(number));
        let [a, b, c, d, runout @ ..] = Deals::new(seed).cards::<9>();
        let alternating = if number % 2 == 1 { Player::Ip } else { Player::Oop };
        let person = self.config.seat.unwrap_or(alternating);
        let mut names = [self.config.person.clone(), self.config.agent.clone()];
        let mut holes = [Hole::new(a, b), Hole::new(c, d)];
        if person == Player::Ip {
            names.reverse();
            holes.reverse();
        }
        let played = PlayedHand { number, names, holes, ..self.rules.clone() };
        let replay = played.replay()?;
        self.hand = Some(Hand { played, replay, person, runout });
        Ok(())
    }

    /// Whether the person is to act.
    pub fn is_persons_turn(&self) -> bool {
        self.state().is_ok_and(|(hand, state)| state.to_act == hand.person)
    }

    /// Whether the agent is to act.
    pub fn is_agents_turn(&self) -> bool {
        self.state().is_ok_and(|(hand, state)| state.to_act != hand.person)
    }

    /// Whether there is a hand that is not over.
    pub fn is_playing(&self) -> bool {
        self.state().is_ok()
    }

    /// The hand being played and where its betting stands.
    fn state(&self) -> Result<(&Hand, BettingState), PlayError> {
        match &self.hand {
            None => Err(PlayError::NoHand),
            Some(hand) => match hand.replay.end {
                End::ToAct(state) => Ok((hand, state)),
                _ => Err(PlayError::Over),
            },
        }
    }

    /// The same, where it must be the person's turn.
    fn persons_state(&self) -> Result<(&Hand, BettingState), PlayError> {
        let (hand, state) = self.state()?;
        if state.to_act == hand.person { Ok((hand, state)) } else { Err(PlayError::NotYourTurn) }
    }

    /// The person acts, in the words of [`parse_action`].
    ///
    /// # Errors
    /// If it is not the person's turn, or the words are no legal action.
    pub fn act(&mut self, words: &str) -> Result<Action, PlayError> {
        let (_, state) = self.persons_state()?;
        let action = parse_action(words, &self.game, &state)?;
        self.apply(action)?;
        Ok(action)
    }

    /// The agent acts until the person is to act or the hand is over, which may take a while. Returns what
    /// it did.
    ///
    /// # Errors
    /// If the agent cannot decide or is cancelled; the same call then continues.
    pub fn answer(&mut self, agent: &Agent<'_>, job: Job<'_>) -> Result<Vec<Action>, PlayError> {
        let mut actions = Vec::new();
        while self.is_agents_turn() {
            let (hand, _) = self.state()?;
            let asked = hand.asked().ok_or(PlayError::Over)?;
            let action = agent.play(&asked, job)?.action;
            self.apply(action)?;
            actions.push(action);
        }
        Ok(actions)
    }

    /// What the agent would do in the person's place.
    ///
    /// # Errors
    /// If it is not the person's turn, or the agent is cancelled.
    pub fn hint(&self, agent: &Agent<'_>, job: Job<'_>) -> Result<AdviceView, PlayError> {
        let (hand, state) = self.persons_state()?;
        let asked = hand.asked().ok_or(PlayError::Over)?;
        Ok(AdviceView::ask(agent, &asked, &state, self.big_blind(), job)?)
    }

    /// What each decision of the person in a finished hand was worth; of the last one if `number` is `None`.
    ///
    /// # Errors
    /// If no such hand is over, or the agent is cancelled.
    pub fn review(
        &self,
        number: Option<u64>,
        agent: &Agent<'_>,
        job: Job<'_>,
    ) -> Result<Vec<JudgedView>, PlayError> {
        let found = match number {
            None => self.finished.last(),
            Some(number) => self.finished.iter().find(|hand| hand.hand.number == number),
        };
        let FinishedHand { hand, person, .. } = found.ok_or(PlayError::NotFinished)?;
        Ok(JudgedView::all(hand, &hand.replay()?, *person, agent, job)?)
    }

    /// Takes a legal action, deals what follows, and pays where the hand is over.
    fn apply(&mut self, action: Action) -> Result<(), PlayError> {
        let (hand, state) = self.state()?;
        let next = self.game.after(&state, action);
        let next = next.map_err(|source| RecordError::Illegal {
            number: hand.played.actions.len() + 1,
            source,
        })?;
        let street = match next {
            Some(next) => next.street,
            None if action == Action::Fold => state.street,
            None => Street::River,
        };
        let mut hand = hand.clone();
        hand.played.actions.push(action);
        hand.played.board =
            Board::new(&hand.runout[..street.board_len()]).expect("the cards differ");
        hand.replay = hand.played.replay()?;
        if let Some(payoffs) = hand.played.payoffs() {
            self.finished.push(FinishedHand {
                hand: hand.played.clone(),
                person: hand.person,
                won: payoffs[hand.person.index()],
            });
        }
        self.hand = Some(hand);
        Ok(())
    }

    /// What the person sees; `None` before the first hand.
    pub fn table(&self) -> Option<TableView> {
        self.hand.as_ref().map(|hand| hand.view(&self.game, self.big_blind()))
    }
}

impl Hand {
    fn is_over(&self) -> bool {
        !matches!(self.replay.end, End::ToAct(_))
    }

    /// The hand as the player to act sees it.
    fn asked(&self) -> Option<lethe_agent::HandState> {
        self.played.before(&self.replay, self.replay.played.len())
    }

    fn who(&self, player: Player) -> Who {
        if player == self.person { Who::You } else { Who::Agent }
    }

    fn view(&self, game: &Game, big_blind: Chips) -> TableView {
        let hand = &self.played;
        let (you, agent) = (self.person.index(), self.person.opponent().index());
        let shown = self.replay.end == End::Showdown;
        let text =
            |player: usize| hand.holes[player].map_or(String::new(), |hole| hole.to_string());
        let state = match self.replay.end {
            End::ToAct(state) => Some(state),
            _ => None,
        };
        let bets = state.map_or([0, 0], |state| state.put);
        let made = |player: usize| {
            hand.holes[player].map(|hole| evaluate(hole.set() | hand.board.set()).to_string())
        };
        let result = hand.payoffs().map(|won| ResultView {
            won: won[you],
            won_bb: won[you] as f64 / f64::from(big_blind),
            folded: match self.replay.end {
                End::Fold(player) => Some(self.who(player)),
                _ => None,
            },
            your_hand: made(you).filter(|_| shown),
            agents_hand: made(agent).filter(|_| shown),
        });
        TableView {
            number: hand.number,
            seat: blind(self.person),
            hole: text(you),
            agents_hole: shown.then(|| text(agent)),
            street: hand.board.street().to_string(),
            board: hand.board.to_string(),
            pot: self.replay.put[0] + self.replay.put[1],
            stacks: Seated { you: hand.stacks[you], agent: hand.stacks[agent] }
                .less(Seated { you: self.replay.put[you], agent: self.replay.put[agent] }),
            bets: Seated { you: bets[you], agent: bets[agent] },
            to_act: state.map(|state| self.who(state.to_act)),
            legal: state.filter(|state| state.to_act == self.person).map(|s| Legal::of(game, &s)),
            actions: self
                .replay
                .played
                .iter()
                .map(|played| ActedView {
                    by: self.who(played.state.to_act),
                    street: played.state.street.to_string(),
                    action: in_state(&played.state, played.action),
                })
                .collect(),
            result,
        }
    }
}

/// One of the two at the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Who {
    /// The person.
    You,
    /// The agent.
    Agent,
}

/// A value for each of the two at the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Seated<T> {
    /// The person's.
    pub you: T,
    /// The agent's.
    pub agent: T,
}

impl Seated<Chips> {
    fn less(self, other: Seated<Chips>) -> Seated<Chips> {
        Seated { you: self.you - other.you, agent: self.agent - other.agent }
    }
}

/// What the person sees of a hand.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TableView {
    /// The number of the hand, from 1.
    pub number: u64,
    /// The person's seat: `sb` or `bb`.
    pub seat: &'static str,
    /// The person's hole.
    pub hole: String,
    /// The agent's hole, after a showdown.
    pub agents_hole: Option<String>,
    /// The street.
    pub street: String,
    /// The board; empty before the flop.
    pub board: String,
    /// All chips in the middle, bets of this street included.
    pub pot: Chips,
    /// What both have left.
    pub stacks: Seated<Chips>,
    /// What both have put in on this street.
    pub bets: Seated<Chips>,
    /// Who is to act; nobody when the hand is over.
    pub to_act: Option<Who>,
    /// What the person may do, on the person's turn.
    pub legal: Option<Legal>,
    /// What both did so far.
    pub actions: Vec<ActedView>,
    /// How it ended.
    pub result: Option<ResultView>,
}

/// What may be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Legal {
    /// Whether a fold is possible.
    pub fold: bool,
    /// Whether a check is possible.
    pub check: bool,
    /// What a call costs, where one is possible.
    pub call: Option<Chips>,
    /// The least total on the street of a bet or raise, where one is possible.
    pub least: Option<Chips>,
    /// The all-in, where a bet or raise is possible.
    pub most: Option<Chips>,
    /// Whether that is a bet, the first of the street.
    pub bet: bool,
}

impl Legal {
    fn of(game: &Game, state: &BettingState) -> Legal {
        let bet = state.put[0].max(state.put[1]);
        let owed = bet - state.put[state.to_act.index()];
        let raises = bet < state.stack;
        Legal {
            fold: owed > 0,
            check: owed == 0,
            call: (owed > 0).then_some(owed),
            least: raises.then(|| game.least_bet(state)),
            most: raises.then_some(state.stack),
            bet: state.bets == 0,
        }
    }
}

/// What somebody did.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ActedView {
    /// Who.
    pub by: Who,
    /// On which street.
    pub street: String,
    /// What.
    #[serde(flatten)]
    pub action: ActionView,
}

/// How a hand ended.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ResultView {
    /// What the person won, in chips.
    pub won: i64,
    /// The same in big blinds.
    pub won_bb: f64,
    /// Who folded; nobody at a showdown.
    pub folded: Option<Who>,
    /// What the person showed.
    pub your_hand: Option<String>,
    /// What the agent showed.
    pub agents_hand: Option<String>,
}

/// What a session cannot do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlayError {
    /// No hand has been dealt.
    #[error("no hand has been dealt")]
    NoHand,
    /// The hand is over.
    #[error("the hand is over; deal the next")]
    Over,
    /// A hand is being played.
    #[error("the hand is not over")]
    NotOver,
    /// The agent is to act.
    #[error("it is the agent's turn")]
    NotYourTurn,
    /// No hand that could be reviewed.
    #[error("no such hand is over yet")]
    NotFinished,
    /// Words that are no legal action.
    #[error(transparent)]
    Words(#[from] WordError),
    /// What the agent cannot answer.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// A hand that breaks the rules.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A hand that cannot be scored.
    #[error(transparent)]
    Score(#[from] ScoreError),
}

impl PlayError {
    /// Whether the computation was asked to stop.
    pub fn is_cancelled(&self) -> bool {
        match self {
            PlayError::Agent(error)
            | PlayError::Score(ScoreError::Trace(TraceError::Agent(error))) => error.is_cancelled(),
            _ => false,
        }
    }
}
