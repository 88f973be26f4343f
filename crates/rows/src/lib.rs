//! Rows of holes, and the kernels that every solver of Lethe is made of.
//!
//! A board's *row* has one entry for each hole that its cards leave. Equities, buckets, reaches and
//! values are rows. Eight rows are worked on at once, one in each [lane](Lanes) of a vector, with
//! plain instructions or AVX2, which give the same bits ([`lethe_compute::simd`]).
//!
//! | item | what it is |
//! |---|---|
//! | [`Row`], [`by_high_card`], [`DeckMap`] | the row of a board, the one walk through it, and the map from one board's row to another's |
//! | [`CardSums`] | sums over the holes that share no card with a given one; the walk by strength |
//! | [`Lanes`], [`load`], [`unload`] | eight rows side by side |
//! | [`Payouts`], [`Terminals`], [`Seat`] | what rows of reach are paid at folds and showdowns |
//! | [`loops`], [`matching`] | loops over rows; regret matching |
//! | [`Buckets`] | the interface to a card abstraction |
//! | [`FlopClusters`], [`AtLevel`] | a nested clustering of flops, and buckets that use only some of its clusters |
//!
//! What a showdown pays each hole, against an opponent who holds anything:
//!
//! ```
//! use lethe_cards::{Board, Hole, River, vs_random};
//! use lethe_rows::{Entries, NONE, Order, Payout, Seat, Stakes, Terminals};
//!
//! let board: Board = "Ah9d7c4s2h".parse()?;
//! let showdown = River::new(board.set()).showdown();
//! let mut order = Order::default();
//! let mut cards = vec![[0; 2]; 1081];
//! for group in showdown.groups() {
//!     for hole in group {
//!         cards[hole.slot as usize] = hole.cards;
//!         order.push(0, *hole);
//!         order.push(1, *hole);
//!     }
//!     order.close_group();
//! }
//! let entries = Entries::new(cards);
//! let seat = Seat { own: &entries, opponent: &entries, order: &order, player: 0 };
//! let mut reach = vec![0.0; entries.stride()];
//! reach[..1081].fill(1.0 / 990.0);
//! let stakes = Stakes { lose: 0.0, half: 0.5 }; // a pot of 1
//! let payout = Payout { row: 0, show: 0, stakes, fold: NONE, fold_pay: 0.0 };
//! let mut equity = vec![0.0; entries.stride()];
//! Terminals::<f64>::new(entries.stride()).pay(seat, &[payout], &reach, &mut equity);
//!
//! let deck = lethe_cards::Deck::without(board.set());
//! let aces = deck.slot("AsAd".parse::<Hole>()?).expect("no card is on the board");
//! let exact = vs_random::river_hole(board.set(), "AsAd".parse()?).expect("the same");
//! assert!((f64::from(equity[aces]) - exact.equity().expect("990 deals")).abs() < 1e-6);
//! # Ok::<(), lethe_cards::ParseError>(())
//! ```

#![forbid(unsafe_code)]

mod buckets;
mod flop_clusters;
mod lanes;
pub mod loops;
pub mod matching;
mod payout;
mod terminal;

pub use buckets::{BucketOutOfRange, Buckets, fill_checked};
pub use flop_clusters::{AtLevel, FlopClusters, FlopClustersError};
pub use lanes::{Lanes, Number, load, unload};
pub use lethe_cards::{CardSums, DeckMap, RankedHole, Row, Summand, by_high_card};
pub use payout::{NONE, Payout, Payouts, Stakes, Terminal};
pub use terminal::{Entries, Order, Seat, Terminals};
