//! `Solution` and `Position`: a solved spot, walked by actions and dealt cards.

use std::sync::Arc;

use lethe_cards::{Board, Card, Hole, Street, SuitMap};
use lethe_compute::{Cancelled, Job};
use lethe_game::{Action, NodeId, NodeKind, Player};

use crate::boards::BoardNode;
use crate::cells::BoardData;
use crate::engine::{Engine, TraverserMode};
use crate::plan::Kind;
use crate::profile::{Averages, Profile, RootValues, against, equities, root_row};
use crate::run::{Metrics, Report, Stop};
use crate::solver::{Options, SolveError, Solver};
use crate::spot::{Spot, SpotError};
use crate::street::{Line, StreetCache, StreetValues};

/// A solved spot: the average strategies of both players.
#[derive(Clone)]
pub struct Solution {
    pub(crate) spot: Spot,
    pub(crate) engine: Arc<Engine>,
    pub(crate) data: BoardData,
    pub(crate) averages: [Averages; 2],
    pub(crate) report: Report,
    /// Measured at the end of the solve, if they were.
    values: Option<Arc<RootValues>>,
    street: Arc<StreetCache>,
}

impl std::fmt::Debug for Solution {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Solution").field("report", &self.report).finish_non_exhaustive()
    }
}

impl Solution {
    pub(crate) fn new(
        spot: Spot,
        engine: Arc<Engine>,
        data: BoardData,
        averages: [Averages; 2],
        report: Report,
        values: Option<Arc<RootValues>>,
    ) -> Solution {
        Solution { spot, engine, data, averages, report, values, street: Arc::default() }
    }

    /// The spot.
    pub fn spot(&self) -> &Spot {
        &self.spot
    }

    /// How the solve ended, and the value of its strategies.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Whether a player sees only buckets. A saved solution has the strategies of every hand.
    pub fn is_bucketed(&self) -> bool {
        self.averages.iter().any(Option::is_some)
    }

    /// The first decision.
    pub fn root(&self) -> Position<'_> {
        self.strategies().root()
    }

    /// The position after a line such as `x b94 c / Th x`: moves as in [`lethe_game::Tree::find`],
    /// or by their long names without blanks (`bet94`), with the dealt cards.
    ///
    /// The line begins at the start of the spot, and each `/` must be followed by its card.
    pub fn walk(&self, line: &str) -> Result<Position<'_>, WalkError> {
        self.strategies().walk(line)
    }

    /// What a player's holes are worth at the start where both play their strategies. Kept from the
    /// evaluation at the end of the solve, or found by a walk; `None` where the first street was left
    /// out of a saved solution.
    pub fn root_values(
        &self,
        player: Player,
        job: Job<'_>,
    ) -> Result<Option<HoleValues>, Cancelled> {
        let row = match &self.values {
            Some(known) => known.average[player.index()].clone(),
            None if !self.root().is_stored() => return Ok(None),
            None => self.profile(job).values(player, TraverserMode::Average)?,
        };
        Ok(Some(self.hole_values(player, &row)))
    }

    /// What a player's holes are worth at the start where the player plays a best response to the
    /// other's strategy, within its own locks: the most that each hole can get. Kept or found as
    /// [`Solution::root_values`]; `None` where any street was left out of a saved solution.
    pub fn root_best_responses(
        &self,
        player: Player,
        job: Job<'_>,
    ) -> Result<Option<HoleValues>, Cancelled> {
        let row = match &self.values {
            Some(known) => known.best[player.index()].clone(),
            None if !self.data.is_whole() || !self.root().is_stored() => return Ok(None),
            None => self.profile(job).values(player, TraverserMode::Best)?,
        };
        Ok(Some(self.hole_values(player, &row)))
    }

    fn hole_values(&self, player: Player, row: &[f32]) -> HoleValues {
        let root = &self.engine.root;
        let opp = root_row(&self.spot, root, player.opponent());
        let met = against(root, player, &opp);
        let mut values = HoleValues::zero();
        for ((hole, &value), met) in root.hands[player.index()].holes.iter().zip(row).zip(met) {
            values.counterfactual[hole.index()] = f64::from(value);
            values.against[hole.index()] = met;
        }
        values
    }

    fn strategies(&self) -> Strategies<'_> {
        Strategies {
            spot: &self.spot,
            engine: &self.engine,
            data: &self.data,
            tables: self.averages.each_ref().map(Option::as_deref),
            street: &self.street,
        }
    }

    pub(crate) fn profile<'a>(&'a self, job: Job<'a>) -> Profile<'a> {
        self.strategies().profile(job)
    }
}

/// What the holes of a player are worth at the start of a spot or at a [`Position`], in the order of
/// [`Hole::index`].
///
/// Values are expected shares of the pot there, in chips, as in [`crate::Evaluation`].
#[derive(Clone, Debug, PartialEq)]
pub struct HoleValues {
    /// Counterfactual values: a hole's value times the weight of the opponent's hands that it can
    /// meet. 0 for holes that the player does not have.
    pub counterfactual: Vec<f64>,
    /// The weight of the opponent's hands that each hole can meet; 0 for holes that the player does
    /// not have.
    pub against: Vec<f64>,
}

impl HoleValues {
    fn zero() -> HoleValues {
        HoleValues { counterfactual: vec![0.0; Hole::COUNT], against: vec![0.0; Hole::COUNT] }
    }

    /// What a hole is worth, in chips; `None` where the player does not have it or it meets no hand.
    pub fn value(&self, hole: Hole) -> Option<f64> {
        let against = self.against[hole.index()];
        (against > 0.0).then(|| self.counterfactual[hole.index()] / against)
    }
}

/// The strategies that positions are read from: those of a solution, or of a solver as it is.
#[derive(Clone, Copy)]
pub(crate) struct Strategies<'a> {
    pub(crate) spot: &'a Spot,
    pub(crate) engine: &'a Engine,
    pub(crate) data: &'a BoardData,
    /// The tables of bucketed players.
    pub(crate) tables: [Option<&'a [Vec<f32>]>; 2],
    pub(crate) street: &'a StreetCache,
}

impl std::fmt::Debug for Strategies<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Strategies").field("board", &self.spot.board()).finish_non_exhaustive()
    }
}

impl<'a> Strategies<'a> {
    pub(crate) fn profile(self, job: Job<'a>) -> Profile<'a> {
        let Strategies { spot, engine, data, tables, .. } = self;
        Profile { spot, engine, data, tables, uniform: false, job }
    }

    /// The first decision.
    pub(crate) fn root(self) -> Position<'a> {
        let (root, start) = (&self.engine.root, self.spot.start());
        let reach = Player::BOTH.map(|player| root_row(self.spot, root, player));
        Position {
            strategies: self,
            node: start,
            board: self.spot.board(),
            depth: 0,
            boards: root,
            data: self.data,
            map: SuitMap::IDENTITY,
            street: (start, Arc::new(reach.clone())),
            reach,
        }
        .settled()
    }

    /// The position after a line.
    pub(crate) fn walk(self, line: &str) -> Result<Position<'a>, WalkError> {
        let mut position = self.root();
        let spaced = line.replace('/', " / ");
        for word in spaced.split_whitespace().filter(|&word| word != "/") {
            position = match position.kind() {
                NodeKind::Chance => {
                    let card = word.parse().map_err(|_| WalkError::Word(word.to_owned()))?;
                    position.deal(card)?
                }
                _ => {
                    let action = position.tree().action_named(position.node, word);
                    position.act(action.ok_or_else(|| position.no_action(word))?)?
                }
            };
        }
        Ok(position)
    }
}

/// A node of a solved spot, or of one that is being solved, reached by actions and dealt cards.
///
/// Frequencies and reaches are read off. Values take a walk through what follows, which before the
/// river finds those of the whole street: they are kept, and the next views are looked up.
#[derive(Clone, Debug)]
pub struct Position<'a> {
    pub(crate) strategies: Strategies<'a>,
    node: NodeId,
    board: Board,
    depth: usize,
    pub(crate) boards: &'a BoardNode,
    data: &'a BoardData,
    /// From the cards as dealt to those of the solved board.
    map: SuitMap,
    /// The reach of both players as rows of the solved board that represents this one.
    pub(crate) reach: [Vec<f32>; 2],
    /// The first node of the street on this line, and the reach there.
    street: (NodeId, Arc<[Vec<f32>; 2]>),
}

/// One hand of a player at a [`Position`].
#[derive(Clone, Debug, PartialEq)]
pub struct HandView {
    /// The hand.
    pub hole: Hole,
    /// Its weight in the player's range at the start.
    pub weight: f64,
    /// Its weight here: that at the start times the frequency with which it reaches this node.
    pub reach: f64,
    /// The opponent's reach that it can meet.
    pub against: f64,
    /// The frequency of each action; `None` where the player does not act or the hand never reaches
    /// this node.
    pub frequencies: Option<Vec<f64>>,
    /// Its expected share of the pot from here on, in chips, counted from the chips it has left;
    /// `None` where no hand of the opponent that it can meet reaches this node.
    pub ev: Option<f64>,
    /// Its equity against the opponent's reach; `None` as above.
    pub equity: Option<f64>,
}

impl HandView {
    /// The average of something over hands, each weighted by its reach times the opponent's reach
    /// that it can meet; `None` where no such hand has a value.
    pub fn average<'a>(
        hands: impl IntoIterator<Item = &'a HandView>,
        of: impl Fn(&HandView) -> Option<f64>,
    ) -> Option<f64> {
        let (mut sum, mut total) = (0.0, 0.0);
        for hand in hands {
            let weight = hand.reach * hand.against;
            if let (true, Some(x)) = (weight > 0.0, of(hand)) {
                sum += weight * x;
                total += weight;
            }
        }
        (total > 0.0).then(|| sum / total)
    }
}

/// The ranges at a [`Position`].
#[derive(Clone, Debug, PartialEq)]
pub struct NodeView {
    /// The frequency of each action over the whole range; `None` where nobody acts or no hand reaches
    /// this node.
    pub frequencies: Option<Vec<f64>>,
    /// Each player's expected share of the pot from here on; `None` where no hands reach this node.
    pub ev: [Option<f64>; 2],
    /// Each player's equity; `None` as above.
    pub equity: [Option<f64>; 2],
    /// The weight of each player's hands here.
    pub combos: [f64; 2],
}

impl<'a> Position<'a> {
    /// The node of the betting tree.
    pub fn node(&self) -> NodeId {
        self.node
    }

    /// The betting tree.
    pub fn tree(&self) -> &'a lethe_game::Tree {
        self.strategies.spot.tree()
    }

    /// The board, with the cards as they were dealt.
    pub fn board(&self) -> Board {
        self.board
    }

    /// What kind of node it is.
    pub fn kind(&self) -> NodeKind {
        self.strategies.spot.tree().node(self.node).kind()
    }

    /// The player to act, if one is.
    pub fn player(&self) -> Option<Player> {
        self.strategies.spot.tree().node(self.node).player()
    }

    /// The actions, in their order.
    pub fn actions(&self) -> &'a [Action] {
        self.strategies.spot.tree().actions(self.node)
    }

    /// The pot with all chips put in.
    pub fn pot(&self) -> f64 {
        f64::from(self.strategies.spot.tree().pot(self.node))
    }

    /// The betting so far, as [`lethe_game::Tree::history`] writes it.
    pub fn history(&self) -> String {
        self.strategies.spot.tree().history(self.node)
    }

    /// Whether the strategies here were kept when the solution was saved.
    ///
    /// Where they were not, [`Position::resolve`] finds them again; until then there are neither
    /// frequencies nor values. After an all-in there is nothing to store.
    pub fn is_stored(&self) -> bool {
        let level = &self.strategies.engine.levels[self.depth];
        let tree = self.strategies.spot.tree();
        let decides = |index: usize| tree.node(NodeId::new(index as u32)).player().is_some();
        if !tree.subtree(self.node).any(decides) {
            return true;
        }
        Player::BOTH.into_iter().all(|player| {
            let p = player.index();
            let bucketed = self.strategies.tables[p].is_some();
            bucketed || level.rows[p] == 0 || !self.data.cells[p].sum.get().is_empty()
        })
    }

    /// The position after an action, by its index.
    pub fn act(&self, action: usize) -> Result<Position<'a>, WalkError> {
        let Some(player) = self.player() else { return Err(self.no_action("an action")) };
        let tree = self.strategies.spot.tree();
        let &child = tree.children(self.node).get(action).ok_or_else(|| self.no_action("that"))?;
        let rows = self.strategy(player);
        let mut next = self.clone();
        let reach = &mut next.reach[player.index()];
        let stride = reach.len();
        for (reach, share) in reach.iter_mut().zip(&rows[action * stride..]) {
            *reach *= share;
        }
        next.node = child;
        Ok(next.settled())
    }

    /// The position after a card is dealt, at a chance node.
    pub fn deal(&self, card: Card) -> Result<Position<'a>, WalkError> {
        let tree = self.strategies.spot.tree();
        if self.kind() != NodeKind::Chance {
            return Err(WalkError::NoDeal(card));
        }
        let board = self.board.with(card).ok_or(WalkError::Dealt(card))?;
        let wanted = self.map.card(card);
        let mut children = self.boards.children.iter().zip(&self.data.children);
        let found = children.find_map(|(child, data)| {
            let image = child.images.iter().find(|image| image.0 == wanted)?;
            Some((child, data, image.1))
        });
        let (child, data, swap) = found.ok_or(WalkError::Dealt(card))?;
        // The reach must be symmetric in the swapped suits for one board to stand for another, and
        // it is: rows are read in the cards that stand for the dealt ones.
        let up = child.images.iter().position(|image| image.1 == swap).unwrap_or(0);
        let reach = [0, 1].map(|p| {
            let mut reach = vec![0.0; child.node.hands[p].stride()];
            for (from, &to) in self.reach[p].iter().zip(&child.up[up][p]) {
                reach[to as usize] = *from;
            }
            // Everything absent points to the padding.
            reach[child.node.hands[p].len()..].fill(0.0);
            reach
        });
        let node = tree.children(self.node)[0];
        let next = Position {
            strategies: self.strategies,
            node,
            board,
            depth: self.depth + 1,
            boards: &child.node,
            data,
            map: self.map.then(swap),
            street: (node, Arc::new(reach.clone())),
            reach,
        };
        Ok(next.settled())
    }

    /// On a single river the tree is cut in two levels; goes to the one that holds the node.
    fn settled(mut self) -> Position<'a> {
        let levels = &self.strategies.engine.levels;
        let place = levels[self.depth].find(self.node);
        let leaf = place.is_some_and(|at| levels[self.depth].nodes[at].kind == Kind::Leaf);
        let same =
            levels.get(self.depth + 1).is_some_and(|l| l.street == levels[self.depth].street);
        let below = self.boards.children.first().zip(self.data.children.first());
        if let (true, Some((child, data))) = (same && (leaf || place.is_none()), below) {
            self.boards = &child.node;
            self.data = data;
            self.depth += 1;
        }
        self
    }

    fn no_action(&self, word: &str) -> WalkError {
        let actions: Vec<String> = self.actions().iter().map(Action::to_string).collect();
        let options = if actions.is_empty() { "none".to_owned() } else { actions.join(", ") };
        WalkError::NoAction { word: word.to_owned(), options }
    }

    pub(crate) fn place(&self) -> usize {
        let level = &self.strategies.engine.levels[self.depth];
        level.find(self.node).expect("a position is a node of its level")
    }

    /// The rows of the acting player's strategy.
    fn strategy(&self, player: Player) -> Vec<f32> {
        let level = &self.strategies.engine.levels[self.depth];
        let place = self.place();
        let node = &level.nodes[place];
        let Kind::Decision(_, row) = node.kind else { return Vec::new() };
        let (p, row, actions) = (player.index(), row as usize, node.edges.len());
        let stride = self.boards.hands[p].stride();
        let mut rows = vec![0.0; actions * stride];
        if let Some(tables) = self.strategies.tables[p] {
            let table = &tables[self.depth];
            let count = table.len() / level.rows[p];
            let table = &table[row * count..(row + actions) * count];
            crate::kernel::expand(&mut rows, table, &self.boards.buckets[p]);
        } else {
            let mut decoded = vec![0.0; actions * stride];
            let sums = self.data.cells[p].sum.get().read(row, actions, stride, &mut decoded);
            lethe_rows::matching::frequencies(sums, &mut rows, stride);
        }
        if let Some(locked) = self.boards.locked(place) {
            crate::kernel::overwrite(&mut rows, locked);
        }
        rows
    }

    /// The acting player's strategy, whatever the reach: for each action a frequency for each hole in
    /// the order of [`Hole::index`], in the cards as dealt, one action's after the other's. 0 for
    /// holes that the player does not have; empty where nobody acts.
    pub fn strategy_by_hole(&self) -> Vec<f32> {
        let Some(player) = self.player() else { return Vec::new() };
        let back = self.map.inverse();
        let hands = &self.boards.hands[player.index()];
        let rows = self.strategy(player);
        let mut by_hole = vec![0.0; self.actions().len() * Hole::COUNT];
        let actions = rows.chunks_exact(hands.stride()).zip(by_hole.chunks_exact_mut(Hole::COUNT));
        for (row, by_hole) in actions {
            for (&hole, &share) in hands.holes.iter().zip(row) {
                by_hole[back.hole(hole).index()] = share;
            }
        }
        by_hole
    }

    /// A player's reach: a weight for each hole in the order of [`Hole::index`], in the cards as
    /// dealt.
    pub fn reach(&self, player: Player) -> Vec<f32> {
        let back = self.map.inverse();
        let mut weights = vec![0.0; Hole::COUNT];
        let p = player.index();
        for (&hole, &reach) in self.boards.hands[p].holes.iter().zip(&self.reach[p]) {
            weights[back.hole(hole).index()] = reach;
        }
        weights
    }

    /// The values of a player's hands here, in chips counted from the start, times the opponent's
    /// reach they can meet.
    pub(crate) fn values(&self, player: Player, job: Job<'_>) -> Result<Vec<f32>, Cancelled> {
        let walk = self.strategies.profile(job).walk(player, TraverserMode::Average);
        let opp = &self.reach[player.opponent().index()];
        let at = (self.depth, self.place());
        self.strategies.engine.values(&walk, at, self.boards, self.data, opp)
    }

    /// What a player's holes are worth here where both play their strategies, or where the player
    /// plays a best response to the other's within its own locks: shares of the pot here, in chips,
    /// less what is put in from here on. Holes in the cards as dealt.
    pub fn hole_values(
        &self,
        player: Player,
        best_response: bool,
        job: Job<'_>,
    ) -> Result<HoleValues, Cancelled> {
        let mode = if best_response { TraverserMode::Best } else { TraverserMode::Average };
        let p = player.index();
        let walk = self.strategies.profile(job).walk(player, mode);
        let (opp, at) = (&self.reach[1 - p], (self.depth, self.place()));
        let row = self.strategies.engine.values(&walk, at, self.boards, self.data, opp)?;
        let tree = self.strategies.spot.tree();
        let put = |node: NodeId| f64::from(tree.node(node).contributed()[p]);
        let spent = put(self.node) - put(self.strategies.spot.start());
        let back = self.map.inverse();
        let mut values = HoleValues::zero();
        let met = against(self.boards, player, opp);
        for ((&hole, &value), met) in self.boards.hands[p].holes.iter().zip(&row).zip(met) {
            let hole = back.hole(hole).index();
            values.counterfactual[hole] = f64::from(value) + spent * met;
            values.against[hole] = met;
        }
        Ok(values)
    }

    /// The values of the street after the line that led to it, and the number of this node there;
    /// `None` on the river, and where nothing was stored.
    pub(crate) fn kept(
        &self,
        job: Job<'_>,
    ) -> Result<Option<(Arc<StreetValues>, usize)>, Cancelled> {
        let level = &self.strategies.engine.levels[self.depth];
        if level.street == Street::River || !self.is_stored() {
            return Ok(None);
        }
        let Some(first) = level.find(self.street.0) else { return Ok(None) };
        let (board, data, reach) = (self.boards, self.data, &*self.street.1);
        let line = Line { depth: self.depth, place: first, board, data, reach };
        let street = self.strategies.street.get(self.strategies, line, job)?;
        Ok(Some((street, self.place() - first)))
    }

    /// All hands of a player that the board leaves, in the order of [`Hole::index`].
    ///
    /// The first call on a street walks through all boards that follow, which takes about a second on
    /// a large flop.
    pub fn hands(&self, player: Player, job: Job<'_>) -> Result<Vec<HandView>, Cancelled> {
        let p = player.index();
        let tree = self.strategies.spot.tree();
        let opp = &self.reach[1 - p];
        let against = against(self.boards, player, opp);
        let all: f64 = opp.iter().map(|&x| f64::from(x)).sum();
        let stored = self.is_stored();
        let (values, shows) = match self.kept(job)? {
            Some((street, node)) => {
                (street.values(player, node).to_vec(), street.equities(player, node).to_vec())
            }
            None => {
                let values = if stored { self.values(player, job)? } else { Vec::new() };
                (values, equities(self.boards, player, opp, job)?)
            }
        };
        let start = tree.node(self.strategies.spot.start()).contributed()[p];
        let spent = f64::from(tree.node(self.node).contributed()[p]) - f64::from(start);
        let acts = stored && self.player() == Some(player);
        let rows = if acts { self.strategy(player) } else { Vec::new() };
        let stride = self.boards.hands[p].stride();
        let back = self.map.inverse();
        let weights = self.strategies.spot.weights(player);
        let view = |(i, &stored): (usize, &Hole)| {
            let hole = back.hole(stored);
            let reach = f64::from(self.reach[p][i]);
            let met = against[i] > all * 1e-9;
            let per_hand = |sum: f32| met.then(|| f64::from(sum) / against[i]);
            let frequencies = (acts && reach > 0.0)
                .then(|| rows[i..].iter().step_by(stride).map(|&f| f64::from(f)).collect());
            HandView {
                hole,
                weight: f64::from(weights[hole.index()]),
                reach,
                against: against[i],
                frequencies,
                ev: values.get(i).and_then(|&v| per_hand(v)).map(|ev| ev + spent),
                equity: per_hand(shows[i]).map(|equity| equity.clamp(0.0, 1.0)),
            }
        };
        let holes = self.boards.hands[p].holes.iter().enumerate();
        let mut hands: Vec<HandView> = holes.map(view).collect();
        hands.sort_by_key(|hand| hand.hole.index());
        Ok(hands)
    }

    /// What each action is worth to each hand of the acting player, in the order of
    /// [`Position::hands`]; `None` as for [`HandView::ev`].
    pub fn action_evs(&self, job: Job<'_>) -> Result<Vec<Vec<Option<f64>>>, WalkError> {
        let Some(player) = self.player() else { return Err(self.no_action("an action")) };
        let tree = self.strategies.spot.tree();
        let put = |node: NodeId| f64::from(tree.node(node).contributed()[player.index()]);
        let mut evs: Vec<Vec<Option<f64>>> = Vec::new();
        for action in 0..self.actions().len() {
            let next = self.act(action)?;
            // Each EV counts from the chips left after the action; here they count from before.
            let paid = put(next.node) - put(self.node);
            let hands = next.hands(player, job)?;
            evs.resize(hands.len(), Vec::new());
            for (evs, hand) in evs.iter_mut().zip(hands) {
                evs.push(hand.ev.map(|ev| ev - paid));
            }
        }
        Ok(evs)
    }

    /// The frequency of each action over the acting player's whole range, as in
    /// [`NodeView::frequencies`]; nothing is walked.
    pub fn frequencies(&self) -> Option<Vec<f64>> {
        let player = self.player().filter(|_| self.is_stored())?;
        let p = player.index();
        let rows = self.strategy(player);
        let against = against(self.boards, player, &self.reach[1 - p]);
        let weights: Vec<f64> = self.reach[p]
            .iter()
            .zip(&against)
            .map(|(&reach, met)| f64::from(reach) * met)
            .collect();
        let total: f64 = weights.iter().sum();
        let played = rows.chunks_exact(self.reach[p].len()).map(|row| {
            row.iter().zip(&weights).map(|(&f, weight)| f64::from(f) * weight).sum::<f64>() / total
        });
        (total > 0.0).then(|| played.collect())
    }

    /// The ranges as a whole.
    pub fn view(&self, job: Job<'_>) -> Result<NodeView, Cancelled> {
        Ok(self.summary(&[self.hands(Player::Oop, job)?, self.hands(Player::Ip, job)?]))
    }

    /// The ranges as a whole, from the hands of both players as [`Position::hands`] gave them.
    pub fn summary(&self, hands: &[Vec<HandView>; 2]) -> NodeView {
        let frequencies = self.player().and_then(|player| {
            let hands = &hands[player.index()];
            let share = |action: usize| {
                HandView::average(hands, |hand| hand.frequencies.as_ref().map(|f| f[action]))
            };
            (0..self.actions().len()).map(share).collect()
        });
        NodeView {
            frequencies,
            ev: hands.each_ref().map(|hands| HandView::average(hands, |hand| hand.ev)),
            equity: hands.each_ref().map(|hands| HandView::average(hands, |hand| hand.equity)),
            combos: hands.each_ref().map(|hands| hands.iter().map(|hand| hand.reach).sum()),
        }
    }

    /// Solves what follows this position again, with the ranges that reach it.
    ///
    /// This is how a street that was left out of a saved solution comes back: deal its card, and
    /// solve from there. A cancelled solve returns the profile it had reached; see [`Solver::run`].
    pub fn resolve(
        &self,
        options: Options,
        stop: &Stop,
        job: Job<'_>,
        on_metrics: &mut dyn FnMut(&Metrics),
    ) -> Result<Solution, ResolveError> {
        let mut solver = Solver::new(self.spot()?, options, job)?;
        solver.run(stop, job, on_metrics);
        Ok(solver.into_solution())
    }

    /// What follows this position as a spot of its own: the ranges that reach it, and the locks that
    /// concern it.
    pub fn spot(&self) -> Result<Spot, SpotError> {
        let weights = Player::BOTH.map(|player| self.reach(player));
        let tree = self.strategies.spot.tree().clone();
        let mut spot = Spot::with_weights(self.board, weights, tree, self.node)?;
        let dealt = self.board.cards().len() - self.strategies.spot.board().cards().len();
        for lock in self.strategies.spot.locks() {
            let mut lock = lock.clone();
            let given = lock.dealt.len().min(dealt);
            if lock.dealt[..given]
                == self.board.cards()[self.board.cards().len() - dealt..][..given]
            {
                lock.dealt.drain(..given);
                // A lock before this position does not concern it, nor one on hands that never get here.
                let lock = lock.within(&spot);
                if let Ok(locked) = spot.clone().with_lock(lock) {
                    spot = locked;
                }
            }
        }
        Ok(spot)
    }
}

/// A line that does not lead anywhere.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WalkError {
    /// A word that is neither an action nor a card.
    #[error("'{0}' is not a card; the next street's card is dealt here")]
    Word(String),
    /// An action that cannot be taken.
    #[error("'{word}' cannot be played here; possible: {options}")]
    NoAction {
        /// What was asked for.
        word: String,
        /// What could be.
        options: String,
    },
    /// A card at a node where no card is dealt.
    #[error("{0} cannot be dealt here: a player acts or the hand is over")]
    NoDeal(Card),
    /// A card that is on the board.
    #[error("{0} is already on the board")]
    Dealt(Card),
    /// The job was cancelled.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// A position that cannot be solved again.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ResolveError {
    /// Nothing is left to play there.
    #[error(transparent)]
    Spot(#[from] SpotError),
    /// The solve cannot be done as asked.
    #[error(transparent)]
    Solve(#[from] SolveError),
}
