//! What a blueprint does at any decision.
//!
//! ```no_run
//! use lethe_blueprint::CheckpointKind;
//! use lethe_kit::{data::DataDir, runs, strategy};
//!
//! let blueprint = runs::open(&DataDir::locate(None), "quick".as_ref(), CheckpointKind::Latest)?;
//! let question = strategy::Question { line: "r250 c / Th9h8c x", ..Default::default() };
//! let view = strategy::ask(&blueprint, &question)?;
//! println!("{} to act with a pot of {}", view.player, view.pot);
//! # Ok::<(), lethe_kit::Error>(())
//! ```

use std::ops::Range;

use lethe_abstraction::Abstraction;
use lethe_blueprint::{Blueprint, Decision, Values};
use lethe_cards::{Board, CanonicalBoard, Deck, Hole, StartingHand, Street};
use lethe_game::{Chips, InfoKey, NodeId, NodeKind};
use serde::Serialize;

use crate::action::{self, ActionShare, blind, shares};
use crate::error::Error;
use crate::grid::{Combo, GridView};
use crate::line;
use crate::text::written_option;

/// A question about a blueprint.
#[derive(Clone, Copy, Debug, Default)]
pub struct Question<'a> {
    /// The betting before the decision, perhaps with cards; empty for the first decision.
    pub line: &'a str,
    /// The board, if the line does not name its cards.
    pub board: Option<Board>,
    /// One hand of the player to act.
    pub hole: Option<Hole>,
    /// List all hands one by one.
    pub hands: bool,
}

/// A decision of a blueprint and what it does there.
#[derive(Clone, Debug, Serialize)]
pub struct StrategyView {
    /// The checkpoint.
    pub blueprint: String,
    /// Its iterations.
    pub iterations: u64,
    /// The hash of its game, to which keys belong.
    pub game_hash: String,
    /// The betting before the decision.
    pub history: String,
    /// The street.
    pub street: &'static str,
    /// The board, where one was given.
    #[serde(serialize_with = "written_option")]
    pub board: Option<Board>,
    /// The number of the node.
    pub node: u64,
    /// Who acts: `sb` or `bb`.
    pub player: &'static str,
    /// The pot, in chips.
    pub pot: Chips,
    /// What a call costs, in chips.
    pub to_call: Chips,
    /// The chips behind.
    pub stacks: Stacks,
    /// The share of the player's hands that reaches the decision by the player's own actions;
    /// `None` without a board.
    pub reach: Option<f64>,
    /// Where values come from, if they were computed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values: Option<ValuesSource>,
    /// How often each action is taken, over all hands that reach the decision.
    pub actions: Vec<ActionShare>,
    /// The hand asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hand: Option<HandView>,
    /// The player's range.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grid: Option<GridView>,
    /// All hands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hands: Option<Vec<HandView>>,
    /// The buckets, where no board is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buckets: Option<Vec<BucketStrategy>>,
}

/// Where the values of a view come from. They count from the chips before ante and blinds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ValuesSource {
    /// The flops that were walked.
    pub flops: u64,
    /// Whether these were all.
    pub exact: bool,
}

/// The chips behind of both players.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Stacks {
    /// Of the small blind.
    pub sb: Chips,
    /// Of the big blind.
    pub bb: Chips,
}

/// One hand at a decision.
#[derive(Clone, Debug, Serialize)]
pub struct HandView {
    /// The hole.
    pub hand: String,
    /// Its bucket.
    pub bucket: u32,
    /// The key of its information set.
    pub key: String,
    /// How often it reaches the decision by the player's own actions.
    pub reach: f64,
    /// Whether its bucket was reached in training; if not, the frequencies are even.
    pub trained: bool,
    /// What it does.
    pub actions: Vec<ActionShare>,
    /// What it wins from here on, in chips: before the flop the starting hand, at the first decision of a
    /// street its bucket; elsewhere that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ev: Option<f64>,
    /// The same in big blinds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ev_bb: Option<f64>,
    /// Half the width of the 95 % interval of `ev`, in chips, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ev_interval: Option<f64>,
}

/// One bucket at a decision.
#[derive(Clone, Debug, Serialize)]
pub struct BucketStrategy {
    /// The bucket.
    pub bucket: u32,
    /// The key of its information set.
    pub key: Option<String>,
    /// Its share of all deals of the street, where the abstraction knows it; with flop clusters as if
    /// the bucket within a cluster did not depend on which cluster it is.
    pub share: Option<f64>,
    /// Their mean equity.
    pub equity: Option<f64>,
    /// Whether it was reached in training; if not, the frequencies are even.
    pub trained: bool,
    /// In the order of the actions.
    pub frequencies: Vec<f64>,
    /// What it wins on average from here on, in chips, if a street begins here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ev: Option<f64>,
    /// The same in big blinds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ev_bb: Option<f64>,
    /// The weight of `ev`: how often the opponent comes here and the player is dealt the bucket.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ev_weight: Option<f64>,
}

/// Answers a question. Before the flop and on a known board by hands, otherwise by buckets.
pub fn ask(blueprint: &Blueprint, question: &Question<'_>) -> Result<StrategyView, Error> {
    let tree = blueprint.tree();
    let place = line::find(tree, question.line).map_err(Error::question)?.after_deals(tree);
    let board = match (&place.dealt[..], question.board) {
        ([], board) => board,
        (_, Some(_)) => {
            let message = "the line names the cards of the board already; leave the board out";
            return Err(Error::question(message));
        }
        (cards, None) => Some(Board::new(cards).ok_or_else(|| {
            Error::question(format_args!(
                "the cards in '{}' are not a board: three on the flop, one on turn and river, all \
                 different",
                question.line.escape_debug()
            ))
        })?),
    };
    let decision = blueprint.decision(place.node).ok_or_else(|| {
        let fold = matches!(tree.node(place.node).kind(), NodeKind::Fold(_));
        let end = if fold { "fold" } else { "showdown" };
        Error::question(format_args!(
            "nobody acts after this line, the hand ends by a {end}; write one action less"
        ))
    })?;
    let street = decision.street();
    let known = match (street, board) {
        (Street::Preflop, None) => Some(Board::EMPTY),
        (_, Some(board)) if board.street() != street => {
            return Err(Error::question(format_args!(
                "the decision is on the {street}, whose board has {} cards; {board} has {}",
                street.board_len(),
                board.cards().len()
            )));
        }
        (_, None) if question.hole.is_some() || question.hands => {
            return Err(Error::BoardNeeded(street));
        }
        (_, board) => board,
    };
    let worth = Worth::open(blueprint, &decision)?;
    let mut view = StrategyView::of(blueprint, &decision, board);
    view.values = worth.source();
    match known {
        Some(board) => view.add_hands(blueprint, &decision, &board, question, &worth)?,
        None => view.add_buckets(blueprint, &decision, 0..decision.buckets(), &worth)?,
    }
    Ok(view)
}

/// The information set that a key names.
pub fn ask_key(blueprint: &Blueprint, key: InfoKey) -> Result<StrategyView, Error> {
    let node = key.node_id().filter(|node| node.index() < blueprint.tree().len());
    let decision = node.and_then(|node| blueprint.decision(node));
    let fits = |decision: &Decision<'_>| {
        decision.street() == key.street() && key.bucket() < decision.buckets()
    };
    let decision = decision.filter(fits).ok_or_else(|| {
        Error::question(format_args!(
            "{key} is not an information set of this blueprint: {} bucket {}, node {}; keys belong \
             to one game, that of this one is {}",
            key.street(),
            key.bucket(),
            key.node(),
            blueprint.header().game_hash
        ))
    })?;
    let worth = Worth::open(blueprint, &decision)?;
    let mut view = StrategyView::of(blueprint, &decision, None);
    view.values = worth.source();
    view.add_buckets(blueprint, &decision, key.bucket()..key.bucket() + 1, &worth)?;
    Ok(view)
}

impl StrategyView {
    fn of(blueprint: &Blueprint, decision: &Decision<'_>, board: Option<Board>) -> StrategyView {
        let (tree, header, node) = (blueprint.tree(), blueprint.header(), decision.node());
        let [bb, sb] = tree.stacks(node);
        let put = tree.node(node).contributed();
        StrategyView {
            blueprint: blueprint.checkpoint().path().display().to_string(),
            iterations: header.reached.iterations,
            game_hash: header.game_hash.clone(),
            history: decision.history(),
            street: decision.street().name(),
            board,
            node: node.number(),
            player: blind(decision.player()),
            pot: tree.pot(node),
            to_call: put[0].max(put[1]) - put[decision.player().index()],
            stacks: Stacks { sb, bb },
            reach: None,
            values: None,
            actions: shares(&action::at(tree, node), None),
            hand: None,
            grid: None,
            hands: None,
            buckets: None,
        }
    }

    fn set_frequencies(&mut self, frequencies: &[f64]) {
        for (share, &frequency) in self.actions.iter_mut().zip(frequencies) {
            share.frequency = Some(frequency);
        }
    }

    fn add_hands(
        &mut self,
        blueprint: &Blueprint,
        decision: &Decision<'_>,
        board: &Board,
        question: &Question<'_>,
        worth: &Worth<'_>,
    ) -> Result<(), Error> {
        let hands = hands(blueprint, decision, board)?;
        let total: f64 = hands.iter().map(|hand| hand.reach).sum();
        self.reach = Some(total / hands.len().max(1) as f64);
        if total > 0.0 {
            let share = |action: usize| {
                hands.iter().map(|hand| hand.reach * hand.frequencies[action]).sum::<f64>() / total
            };
            self.set_frequencies(&(0..self.actions.len()).map(share).collect::<Vec<_>>());
        }
        let actions = action::at(blueprint.tree(), decision.node());
        let view = |hand: &Hand| -> Result<HandView, Error> {
            let mut shares = shares(&actions, Some(&hand.frequencies));
            worth.set_actions(hand.hole.class(), &mut shares)?;
            let [ev, ev_interval] = worth.of_hand(hand)?;
            Ok(HandView {
                hand: hand.hole.to_string(),
                bucket: hand.bucket,
                key: decision.key(hand.bucket).map_or_else(|_| "-".to_owned(), |k| k.to_string()),
                reach: hand.reach,
                trained: decision.weight(hand.bucket)? > Some(0.0),
                actions: shares,
                ev,
                ev_bb: ev.map(|ev| worth.in_big_blinds(ev)),
                ev_interval,
            })
        };
        match question.hole {
            Some(hole) => {
                let hand = hands.iter().find(|hand| hand.hole == hole);
                self.hand = Some(view(hand.ok_or_else(|| Error::shared_card(hole, board))?)?);
            }
            None => {
                let combos: Vec<Combo<'_>> = hands
                    .iter()
                    .map(|hand| Combo {
                        hole: hand.hole,
                        reach: hand.reach,
                        frequencies: Some(&hand.frequencies),
                    })
                    .collect();
                let mut grid = GridView::of(self.player, &combos, &actions, board);
                worth.set_grid(&mut grid)?;
                self.grid = Some(grid);
            }
        }
        if question.hands {
            self.hands = Some(hands.iter().rev().map(view).collect::<Result<_, _>>()?);
        }
        Ok(())
    }

    fn add_buckets(
        &mut self,
        blueprint: &Blueprint,
        decision: &Decision<'_>,
        range: Range<u32>,
        worth: &Worth<'_>,
    ) -> Result<(), Error> {
        let report = blueprint.abstraction().and_then(|cards| cards.report(decision.street()));
        let deals = report.map(|report| report.sizes.iter().sum::<u64>().max(1) as f64);
        // With flop clusters the report is of the buckets within them.
        let parts = FlopParts::of(blueprint, decision.street());
        let parts = |bucket: u32| parts.of_bucket(bucket as usize);
        let bucket = |bucket: u32| -> Result<BucketStrategy, Error> {
            let (base, cluster_share) = parts(bucket);
            let size = report.and_then(|report| report.sizes.get(base));
            let value = worth.of_bucket(bucket)?;
            Ok(BucketStrategy {
                bucket,
                key: decision.key(bucket).ok().as_ref().map(InfoKey::to_string),
                share: size.zip(deals).map(|(&size, deals)| size as f64 / deals * cluster_share),
                equity: report.and_then(|report| report.equities.get(base).copied()),
                trained: decision.weight(bucket)? > Some(0.0),
                frequencies: decision.frequencies(bucket)?.expect("a bucket of the decision"),
                ev: value.map(|[ev, _]| ev),
                ev_bb: value.map(|[ev, _]| worth.in_big_blinds(ev)),
                ev_weight: value.map(|[_, weight]| weight),
            })
        };
        let buckets: Vec<BucketStrategy> = range.map(bucket).collect::<Result<_, _>>()?;
        if let Some(all) = BucketGroup::of(&buckets) {
            self.set_frequencies(&all.frequencies);
        }
        self.buckets = Some(buckets);
        Ok(())
    }
}

/// What hands win at a decision, if values were computed.
struct Worth<'a> {
    blueprint: &'a Blueprint,
    decision: Decision<'a>,
    values: Option<Values>,
}

impl<'a> Worth<'a> {
    fn open(blueprint: &'a Blueprint, decision: &Decision<'a>) -> Result<Worth<'a>, Error> {
        Ok(Worth { blueprint, decision: *decision, values: blueprint.values()? })
    }

    fn source(&self) -> Option<ValuesSource> {
        let header = self.values.as_ref()?.header();
        Some(ValuesSource { flops: header.flops, exact: header.exact })
    }

    fn in_big_blinds(&self, chips: f64) -> f64 {
        chips / f64::from(self.blueprint.header().config.game.big_blind)
    }

    /// What a starting hand wins from a node before the flop on, and its interval.
    fn at(&self, node: NodeId, hand: StartingHand) -> Result<[Option<f64>; 2], Error> {
        let Some(values) = &self.values else { return Ok([None; 2]) };
        let value = values.hand(self.blueprint.plan(), self.decision.player(), node, hand)?;
        Ok([value.map(|value| value.chips), value.and_then(|value| value.interval)])
    }

    /// Sets what the actions of a starting hand are worth; after the flop they are not known.
    fn set_actions(&self, hand: StartingHand, shares: &mut [ActionShare]) -> Result<(), Error> {
        let children = self.blueprint.tree().children(self.decision.node());
        if self.values.is_none() || self.decision.street() != Street::Preflop {
            return Ok(());
        }
        for (share, &child) in shares.iter_mut().zip(children) {
            [share.ev, share.ev_interval] = self.at(child, hand)?;
            share.ev_bb = share.ev.map(|ev| self.in_big_blinds(ev));
        }
        Ok(())
    }

    fn set_grid(&self, grid: &mut GridView) -> Result<(), Error> {
        if self.values.is_none() || self.decision.street() != Street::Preflop {
            return Ok(());
        }
        for cell in &mut grid.cells {
            let hand = StartingHand::all().find(|hand| hand.to_string() == cell.class);
            let hand = hand.expect("cells are starting hands");
            self.set_actions(hand, &mut cell.actions)?;
            cell.ev = self.at(self.decision.node(), hand)?[0];
            cell.ev_bb = cell.ev.map(|ev| self.in_big_blinds(ev));
        }
        Ok(())
    }

    /// What a hand wins and its interval: before the flop the starting hand, later its bucket.
    fn of_hand(&self, hand: &Hand) -> Result<[Option<f64>; 2], Error> {
        match self.decision.street() {
            Street::Preflop => self.at(self.decision.node(), hand.hole.class()),
            _ => Ok([self.of_bucket(hand.bucket)?.map(|[ev, _]| ev), None]),
        }
    }

    /// What a bucket wins at the first decision of a street, and its weight.
    fn of_bucket(&self, bucket: u32) -> Result<Option<[f64; 2]>, Error> {
        let Some(values) = &self.values else { return Ok(None) };
        let (plan, player) = (self.blueprint.plan(), self.decision.player());
        let value = values.start(plan, player, self.decision.node(), bucket)?;
        Ok(value.map(|value| [value.chips, value.weight]))
    }
}

/// The flop clusters that the buckets of a street are made of, if they are.
struct FlopParts {
    /// The buckets within each cluster.
    each: usize,
    /// The share of deals of each cluster.
    shares: Vec<f64>,
}

impl FlopParts {
    fn of(blueprint: &Blueprint, street: Street) -> FlopParts {
        let cards = blueprint.abstraction().filter(|_| street != Street::Preflop);
        let clusters = cards.and_then(Abstraction::flop_clusters);
        let share = |flops: &Vec<CanonicalBoard>| {
            flops.iter().map(|flop| f64::from(flop.multiplicity())).sum::<f64>() / 22_100.0
        };
        match cards.zip(clusters) {
            Some((cards, clusters)) => FlopParts {
                each: cards.base_buckets(street),
                shares: clusters.flops(clusters.on(street)).iter().map(share).collect(),
            },
            None => FlopParts { each: usize::MAX, shares: vec![1.0] },
        }
    }

    /// A bucket's number within its flop cluster, and the share of deals of that cluster.
    fn of_bucket(&self, bucket: usize) -> (usize, f64) {
        (bucket % self.each, self.shares[bucket / self.each])
    }
}

/// A hand that the board leaves.
struct Hand {
    hole: Hole,
    bucket: u32,
    reach: f64,
    frequencies: Vec<f64>,
}

fn hands(
    blueprint: &Blueprint,
    decision: &Decision<'_>,
    board: &Board,
) -> Result<Vec<Hand>, Error> {
    let hand = |hole: Hole| -> Result<Hand, Error> {
        let bucket = blueprint.bucket(hole, board)?.expect("a hole that the board leaves");
        let reach = blueprint.reach(decision.player(), decision.node(), hole, board)?;
        Ok(Hand {
            hole,
            bucket,
            reach: reach.expect("a board of the decision's street"),
            frequencies: decision.frequencies(bucket)?.expect("a bucket of the decision"),
        })
    };
    Deck::without(board.set()).holes().map(hand).collect()
}

/// Consecutive buckets taken together.
#[derive(Clone, Debug)]
pub struct BucketGroup {
    /// The first and the last bucket.
    pub buckets: [u32; 2],
    /// Their share of all deals of the street, where the abstraction knows it.
    pub share: Option<f64>,
    /// Their mean equity.
    pub equity: Option<f64>,
    /// How often each action is taken.
    pub frequencies: Vec<f64>,
    /// What they win on average, in big blinds: the mean by their weights of those that are known.
    pub ev_bb: Option<f64>,
}

impl BucketGroup {
    /// The mean of some buckets, weighted by their deals where those are known.
    pub fn of(buckets: &[BucketStrategy]) -> Option<BucketGroup> {
        let (first, last) = (buckets.first()?, buckets.last()?);
        let share: Option<f64> = buckets.iter().map(|bucket| bucket.share).sum();
        let known = share.is_some_and(|share| share > 0.0);
        let weight = |bucket: &BucketStrategy| bucket.share.filter(|_| known).unwrap_or(1.0);
        let total: f64 = buckets.iter().map(weight).sum();
        let mean = |of: &dyn Fn(&BucketStrategy) -> Option<f64>| {
            let sum: Option<f64> = buckets.iter().map(|b| Some(weight(b) * of(b)?)).sum();
            sum.map(|sum| sum / total)
        };
        let frequency = |action: usize| mean(&|b| b.frequencies.get(action).copied());
        let known = || buckets.iter().filter_map(|bucket| bucket.ev_bb.zip(bucket.ev_weight));
        let ev_weight: f64 = known().map(|(_, weight)| weight).sum();
        Some(BucketGroup {
            buckets: [first.bucket, last.bucket],
            share,
            equity: mean(&|bucket| bucket.equity),
            frequencies: (0..first.frequencies.len()).filter_map(frequency).collect(),
            ev_bb: (ev_weight > 0.0)
                .then(|| known().map(|(ev, weight)| ev * weight).sum::<f64>() / ev_weight),
        })
    }
}
