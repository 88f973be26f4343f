//! The boards of a spot: which hands each leaves, how they rank, and how rows of one board become
//! rows of the next.
//!
//! Only hands of non-zero weight have a place in a row. A row is padded to a multiple of eight with
//! at least one entry that is always zero; slots of absent hands point to it.

use lethe_cards::{Board, Card, CardSet, Hole, River, Street, Suit, SuitMap};
use lethe_compute::{Cancelled, Job};
use lethe_game::Player;
use lethe_rows::{Entries, Order, RankedHole, Seat};
use rayon::prelude::*;

use crate::plan::{Kind, Level};
use crate::spot::Spot;

/// The hands of one player on a board, in the order of their index.
#[derive(Debug, Clone)]
pub(crate) struct Hands {
    pub(crate) holes: Vec<Hole>,
    pub(crate) entries: Entries,
}

impl Hands {
    /// The hands of both players.
    fn pair(holes: [Vec<Hole>; 2]) -> [Hands; 2] {
        let mut hands = holes.map(|holes| {
            let cards = holes.iter().map(|h| [h.low().index() as u8, h.high().index() as u8]);
            Hands { entries: Entries::new(cards), holes }
        });
        for p in 0..2 {
            let (other, slots) = (&hands[1 - p], &hands[p].holes);
            let slots: Vec<Option<usize>> = slots.iter().map(|&hole| other.find(hole)).collect();
            let opponents = other.len();
            hands[p].entries.set_same(opponents, slots.into_iter());
        }
        hands
    }

    /// The number of hands.
    pub(crate) fn len(&self) -> usize {
        self.holes.len()
    }

    /// The length of a row, padding included.
    pub(crate) fn stride(&self) -> usize {
        self.entries.stride()
    }

    /// The place of a hole, if the player can have it.
    pub(crate) fn find(&self, hole: Hole) -> Option<usize> {
        self.holes.binary_search_by_key(&hole.index(), |h| h.index()).ok()
    }

    fn place(&self, hole: Hole) -> u16 {
        self.find(hole).unwrap_or(self.len()) as u16
    }
}

/// A board and the boards that follow it.
#[derive(Debug)]
pub(crate) struct BoardNode {
    pub(crate) board: Board,
    pub(crate) hands: [Hands; 2],
    /// On the river only.
    pub(crate) order: Order,
    pub(crate) children: Vec<Child>,
    /// The probability of the board, including the isomorphic boards it represents.
    pub(crate) weight: f32,
    /// Locked decisions: their place in the level and rows of frequencies, NaN for free hands.
    pub(crate) locks: Vec<(u32, Vec<f32>)>,
    /// The bucket of every entry of a bucketed player's row, and the hands' weights at the start.
    pub(crate) buckets: [Vec<u32>; 2],
    pub(crate) weights: [Vec<f32>; 2],
}

/// A board with one more card, and the cards it represents.
#[derive(Debug)]
pub(crate) struct Child {
    pub(crate) node: BoardNode,
    /// The dealt cards it represents with the suit maps to it; its own card first. Empty where nothing
    /// is dealt.
    pub(crate) images: Vec<(Card, SuitMap)>,
    /// The place in the parent's row of every entry of the child's, by player.
    pub(crate) down: [Vec<u16>; 2],
    /// The place in the child's row of every entry of the parent's, by image and player.
    pub(crate) up: Vec<[Vec<u16>; 2]>,
}

/// The classes of interchangeable suits: two suits of one class may be swapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SuitClasses([u8; 4]);

impl SuitClasses {
    /// Every suit is a class of its own.
    pub(crate) const NONE: SuitClasses = SuitClasses([0, 1, 2, 3]);

    /// The suits whose swap changes neither the board, nor a range, nor a lock, nor the marks.
    pub(crate) fn of(spot: &Spot) -> SuitClasses {
        let mut classes = SuitClasses::NONE.0;
        for b in Suit::all() {
            let first = Suit::all().take_while(|&a| a < b).find(|&a| swaps(spot, a, b));
            if let Some(a) = first {
                classes[b.index()] = classes[a.index()];
            }
        }
        SuitClasses(classes)
    }

    /// The class of each suit.
    pub(crate) fn classes(self) -> [u8; 4] {
        self.0
    }

    /// These classes, if the spot allows them: its own classes, or [`SuitClasses::NONE`].
    pub(crate) fn from_classes(classes: [u8; 4], spot: &Spot) -> Option<SuitClasses> {
        let suits = SuitClasses(classes);
        (suits == SuitClasses::NONE || suits == SuitClasses::of(spot)).then_some(suits)
    }

    /// The number of boards of each level.
    pub(crate) fn count_boards(self, spot: &Spot, levels: &[Level]) -> Vec<u64> {
        let mut boards = vec![(self, spot.board().set())];
        let mut counts = Vec::new();
        for (depth, level) in levels.iter().enumerate() {
            if depth > 0 && level.street != levels[depth - 1].street {
                let next = |(suits, set): &(SuitClasses, CardSet)| {
                    let (suits, set) = (*suits, *set);
                    let cards = suits.next_cards(set).into_iter().map(|images| images[0].0);
                    cards.map(move |c| (suits.after(c), set | c.into())).collect::<Vec<_>>()
                };
                boards = boards.iter().flat_map(next).collect();
            }
            counts.push(boards.len() as u64);
        }
        counts
    }

    fn after(self, card: Card) -> SuitClasses {
        let mut classes = self.0;
        let suit = card.suit().index();
        classes[suit] = 4 + suit as u8;
        SuitClasses(classes)
    }

    /// The next cards up to isomorphism, each with the cards it represents, itself first.
    fn next_cards(self, dealt: CardSet) -> Vec<Vec<(Card, SuitMap)>> {
        let class = |suit: Suit| self.0[suit.index()];
        let first = |suit: Suit| Suit::all().find(|&s| class(s) == class(suit)) == Some(suit);
        let images = |card: Card| -> Vec<(Card, SuitMap)> {
            let suits = Suit::all().filter(|&s| class(s) == class(card.suit()));
            suits.map(|s| (Card::new(card.rank(), s), SuitMap::swap(card.suit(), s))).collect()
        };
        (!dealt).iter().filter(|card| first(card.suit())).map(images).collect()
    }
}

/// Whether a swap of suits leaves board, ranges, locks and marks unchanged.
fn swaps(spot: &Spot, a: Suit, b: Suit) -> bool {
    let map = SuitMap::swap(a, b);
    let board = spot.board().set();
    let ranges = Player::BOTH.into_iter().all(|player| {
        let weights = spot.weights(player);
        Hole::all().all(|hole| weights[hole.index()] == weights[map.hole(hole).index()])
    });
    let locks = spot.locks().iter().all(|lock| {
        let dealt = lock.dealt.iter().all(|&card| map.card(card) == card);
        dealt && Hole::all().all(|h| lock.frequencies(h) == lock.frequencies(map.hole(h)))
    });
    map.set(board) == board && ranges && locks && spot.keeps_marks(map)
}

impl BoardNode {
    /// The boards of a spot, as deep as the levels go.
    pub(crate) fn build(
        spot: &Spot,
        levels: &[Level],
        suits: SuitClasses,
        job: Job<'_>,
    ) -> Result<BoardNode, Cancelled> {
        let holes = Player::BOTH.map(|player| {
            let weights = spot.weights(player);
            Hole::all().filter(|hole| weights[hole.index()] > 0.0).collect()
        });
        let root = job.install(|| BoardNode::grow(spot.board(), holes, levels, suits, 1.0, job));
        job.check()?;
        Ok(root)
    }

    fn grow(
        board: Board,
        holes: [Vec<Hole>; 2],
        levels: &[Level],
        suits: SuitClasses,
        weight: f32,
        job: Job<'_>,
    ) -> BoardNode {
        let hands = Hands::pair(holes);
        let order = match board.street() {
            Street::River => showdown_order(board.set(), &hands),
            _ => Order::default(),
        };
        let mut node = BoardNode {
            board,
            hands,
            order,
            children: Vec::new(),
            weight,
            locks: Vec::new(),
            buckets: Default::default(),
            weights: Default::default(),
        };
        if job.cancelled() || levels[0].leaves.is_empty() {
            return node;
        }
        let deals = if levels[1].street == levels[0].street {
            vec![Vec::new()]
        } else {
            suits.next_cards(board.set())
        };
        let grow = |images: Vec<(Card, SuitMap)>| node.child(&levels[1..], suits, images, job);
        node.children = deals.into_par_iter().map(grow).collect();
        node
    }

    fn child(
        &self,
        levels: &[Level],
        suits: SuitClasses,
        images: Vec<(Card, SuitMap)>,
        job: Job<'_>,
    ) -> Child {
        let card = images.first().map(|&(card, _)| card);
        let dead: CardSet = card.into_iter().collect();
        let left = |p: usize| -> Vec<Hole> {
            let alive = |hole: &&Hole| !dead.intersects(hole.set());
            self.hands[p].holes.iter().filter(alive).copied().collect()
        };
        let board = card.map_or(self.board, |card| self.board.with(card).expect("not dealt yet"));
        let suits = card.map_or(suits, |card| suits.after(card));
        let weight = self.weight * images.len().max(1) as f32 * self.factor(levels[0].street);
        let node = BoardNode::grow(board, [left(0), left(1)], levels, suits, weight, job);
        let down = [0, 1].map(|p| {
            let parent = &self.hands[p];
            let places = node.hands[p].holes.iter().map(|&hole| parent.place(hole));
            let mut down: Vec<u16> = places.collect();
            down.resize(node.hands[p].stride(), parent.len() as u16);
            down
        });
        let identity = [(card, SuitMap::IDENTITY)];
        let maps: Vec<SuitMap> = match images.as_slice() {
            [] => identity.map(|(_, map)| map).to_vec(),
            images => images.iter().map(|&(_, map)| map).collect(),
        };
        let up = maps.into_iter().map(|map| [0, 1].map(|p| self.up(p, &node, map))).collect();
        Child { node, images, down, up }
    }

    fn up(&self, p: usize, child: &BoardNode, map: SuitMap) -> Vec<u16> {
        let places = self.hands[p].holes.iter().map(|&hole| child.hands[p].place(map.hole(hole)));
        let mut up: Vec<u16> = places.collect();
        up.resize(self.hands[p].stride(), child.hands[p].len() as u16);
        up
    }

    /// Sets the locks of a spot on this board and those below.
    pub(crate) fn lock(&mut self, spot: &Spot, levels: &[Level]) {
        let dealt = &self.board.cards()[spot.board().cards().len()..];
        for lock in spot.locks().iter().filter(|l| l.dealt.is_empty() || l.dealt == dealt) {
            let Some(place) = levels[0].find(lock.node) else { continue };
            let Kind::Decision(player, _) = levels[0].nodes[place].kind else { continue };
            let hands = &self.hands[player.index()];
            let actions = levels[0].nodes[place].edges.len();
            let stride = hands.stride();
            let mut rows = vec![f32::NAN; actions * stride];
            for (at, &hole) in hands.holes.iter().enumerate() {
                let frequencies = lock.frequencies(hole).unwrap_or_default();
                for (action, frequency) in frequencies.into_iter().enumerate() {
                    rows[action * stride + at] = frequency;
                }
            }
            self.locks.push((place as u32, rows));
        }
        for child in &mut self.children {
            child.node.lock(spot, &levels[1..]);
        }
    }

    /// The locked rows of a decision, if it has any; the last lock given wins.
    #[inline]
    pub(crate) fn locked(&self, place: usize) -> Option<&[f32]> {
        let found = self.locks.iter().rfind(|lock| lock.0 as usize == place);
        found.map(|lock| lock.1.as_slice())
    }

    /// The board as a walk that values a player's hands sees it.
    #[inline]
    pub(crate) fn seat(&self, player: usize) -> Seat<'_> {
        Seat {
            own: &self.hands[player].entries,
            opponent: &self.hands[1 - player].entries,
            order: &self.order,
            player,
        }
    }

    /// The probability of each next card if the next level is on the street `next`: one over the cards
    /// that neither the board nor two hands hold, or 1 if nothing is dealt.
    pub(crate) fn factor(&self, next: Street) -> f32 {
        if next == self.board.street() {
            1.0
        } else {
            1.0 / (52 - self.board.cards().len() - 4) as f32
        }
    }
}

/// The hands of both players on a river by strength.
fn showdown_order(board: CardSet, hands: &[Hands; 2]) -> Order {
    let deck = lethe_cards::Deck::without(board);
    let mut places = [[u16::MAX; Hole::COUNT], [u16::MAX; Hole::COUNT]];
    for (places, hands) in places.iter_mut().zip(hands) {
        for (place, hole) in hands.holes.iter().enumerate() {
            places[hole.index()] = place as u16;
        }
    }
    let mut order = Order::default();
    for group in River::new(board).showdown().groups() {
        for ranked in group {
            let [low, high] = ranked.cards.map(|card| deck.cards()[card as usize].index());
            let index = lethe_cards::pair_index(low, high);
            for (player, places) in places.iter().enumerate() {
                let slot = places[index];
                if slot != u16::MAX {
                    order.push(player, RankedHole { slot, cards: [low as u8, high as u8] });
                }
            }
        }
        order.close_group();
    }
    order
}
