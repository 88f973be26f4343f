//! The evaluator beside three others, the index, and equity rows. Each bench asserts its answer.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use lethe_cards::{
    Board, CanonicalBoard, Card, CardSet, Deck, HandBuilder, Hole, River, Situation, Street,
    evaluate, vs_random,
};
use rand::seq::index::sample;
use rand::{SeedableRng, rngs::ChaCha8Rng};

/// Random deals of `cards` distinct cards.
fn deals(count: usize, cards: usize) -> Vec<Vec<Card>> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let deal = |rng: &mut ChaCha8Rng| -> Vec<Card> {
        sample(rng, 52, cards).into_iter().map(|i| Card::from_index(i).unwrap()).collect()
    };
    (0..count).map(|_| deal(&mut rng)).collect()
}

/// Random seven-card hands, each evaluator fed with its own representation of a hand.
fn evaluator(c: &mut Criterion) {
    use rs_poker::core::{Card as RsCard, CardBitSet, Rankable, Suit as RsSuit, Value};
    const HANDS: usize = 100_000;
    let hands = deals(HANDS, 7);
    let mut group = c.benchmark_group("seven random cards");
    group.throughput(Throughput::Elements(HANDS as u64));

    let dealt: Vec<HandBuilder> = hands.iter().map(|hand| hand.iter().copied().collect()).collect();
    group.bench_function("lethe", |b| {
        b.iter(|| dealt.iter().map(|hand| hand.strength().index()).sum::<usize>());
    });
    group.bench_function("lethe, dealing the seven cards", |b| {
        let deal = |cards: &Vec<Card>| cards.iter().copied().collect::<HandBuilder>();
        b.iter(|| hands.iter().map(|cards| deal(cards).strength().index()).sum::<usize>());
    });
    let sets: Vec<CardSet> = dealt.iter().map(|hand| hand.cards()).collect();
    group.bench_function("lethe, from a set", |b| {
        b.iter(|| sets.iter().map(|&set| evaluate(set).index()).sum::<usize>());
    });

    let aya: Vec<aya_poker::base::Hand> = hands
        .iter()
        .map(|hand| {
            hand.iter().map(|c| c.to_string()).collect::<Vec<_>>().join(" ").parse().unwrap()
        })
        .collect();
    group.bench_function("aya_poker", |b| {
        b.iter(|| aya.iter().map(|hand| aya_poker::poker_rank(hand).0 as usize).sum::<usize>());
    });

    let suits = [RsSuit::Club, RsSuit::Diamond, RsSuit::Heart, RsSuit::Spade];
    let rs_card =
        |c: &Card| RsCard::new(Value::from_u8(c.rank().index() as u8), suits[c.suit().index()]);
    let rs: Vec<CardBitSet> = hands
        .iter()
        .map(|hand| {
            let mut set = CardBitSet::new();
            hand.iter().for_each(|c| set.insert(rs_card(c)));
            set
        })
        .collect();
    group.bench_function("rs_poker", |b| {
        b.iter(|| rs.iter().map(CardBitSet::rank).max());
    });
    group.finish();

    let boards: Vec<CardSet> = deals(1_000, 5).into_iter().map(CardSet::from_iter).collect();
    let mut group = c.benchmark_group("all 1,081 holes of a board");
    group.throughput(Throughput::Elements((boards.len() * Deck::row_len(Street::River)) as u64));
    group.bench_function("lethe", |b| {
        let mut row = vec![0u16; Deck::row_len(Street::River)];
        b.iter(|| {
            boards.iter().for_each(|&board| vs_random::strength_row(board, black_box(&mut row)))
        });
    });
    group.finish();
}

fn index(c: &mut Criterion) {
    const DEALS: usize = 100_000;
    let mut group = c.benchmark_group("canonical form and index");
    group.throughput(Throughput::Elements(DEALS as u64));
    for street in Street::POSTFLOP {
        let deals: Vec<(Board, Hole)> = deals(DEALS, 2 + street.board_len())
            .into_iter()
            .map(|d| (Board::new(&d[2..]).unwrap(), Hole::new(d[0], d[1]).unwrap()))
            .collect();
        let slots = Situation::slots(street);
        group.bench_function(BenchmarkId::from_parameter(street), |b| {
            b.iter(|| {
                let index =
                    |(board, hole): &(Board, Hole)| Situation::of(*hole, board).unwrap().0.index();
                deals.iter().map(index).inspect(|&i| debug_assert!(i < slots)).sum::<usize>()
            });
        });
    }
    group.finish();
}

fn rows(c: &mut Criterion) {
    let every = |street, step| -> Vec<CardSet> {
        CanonicalBoard::all(street).step_by(step).map(CanonicalBoard::set).collect()
    };
    let mut group = c.benchmark_group("equity rows");
    group.sample_size(10);

    let boards = every(Street::River, 13);
    group.throughput(Throughput::Elements(boards.len() as u64));
    group.bench_function("river boards", |b| {
        let mut row = vec![0; Deck::row_len(Street::River)];
        b.iter(|| {
            boards.iter().for_each(|&board| vs_random::river_row(board, black_box(&mut row)))
        });
    });
    group.bench_function("river boards in order of strength", |b| {
        b.iter(|| boards.iter().for_each(|&board| drop(black_box(River::new(board).showdown()))));
    });

    let boards = every(Street::Turn, 61);
    group.throughput(Throughput::Elements(boards.len() as u64));
    group.bench_function("turn boards", |b| {
        let mut row = vec![0; Deck::row_len(Street::Turn)];
        b.iter(|| boards.iter().for_each(|&board| vs_random::turn_row(board, black_box(&mut row))));
    });

    let boards = every(Street::Flop, 7);
    let turns = vec![1u32; Situation::slots(Street::Turn)];
    let turn_len = Deck::row_len(Street::Turn);
    group.throughput(Throughput::Elements(boards.len() as u64));
    group.bench_function("flop boards from a table of turns", |b| {
        let mut row = vec![0; Deck::row_len(Street::Flop)];
        b.iter(|| {
            for &board in &boards {
                vs_random::flop_row(board, black_box(&mut row), |turn, row| {
                    row.copy_from_slice(&turns[turn.index() * turn_len..][..turn_len]);
                });
                assert_eq!(row[0], 47);
            }
        });
    });
    group.finish();
}

criterion_group!(benches, evaluator, index, rows);
criterion_main!(benches);
