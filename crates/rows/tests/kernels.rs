//! Every kernel, with every set of instructions, against the naive sums over pairs of holes.

use std::cmp::Ordering;

use lethe_cards::{Board, CardSums, Deck, Hole, River, Street, Strength, evaluate};
use lethe_compute::simd::{Instructions, Kernel, LANES, Level, run_with};
use lethe_rows::{
    Buckets, Entries, Lanes, NONE, Number, Order, Payout, Payouts, RankedHole, Seat, Stakes,
    Summand, Terminal, Terminals, fill_checked, load, loops, matching, unload,
};

/// Numbers between 0 and 1 that are the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f32 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1 << 24) as f32
    }
}

/// Two ranges on a river board and rows of the opponent's reach.
struct Case {
    name: &'static str,
    board: Board,
    holes: [Vec<Hole>; 2],
    /// Of the second player, which is the opponent.
    reach: Vec<f32>,
    rows: usize,
}

/// Random, sparse, tied and blocked rows, and both players with all holes.
fn cases() -> Vec<Case> {
    let case = |name, board: &str, keep: &dyn Fn(&mut Random, usize, Hole) -> bool| {
        let board: Board = board.parse().unwrap();
        let mut random = Random(7);
        let holes = [0, 1].map(|player| {
            let live = Deck::without(board.set());
            live.holes().filter(|&hole| keep(&mut random, player, hole)).collect::<Vec<_>>()
        });
        let stride = (holes[1].len() + 1).next_multiple_of(LANES);
        let rows = 11;
        let mut reach = vec![0.0; rows * stride];
        for row in reach.chunks_exact_mut(stride) {
            row[..holes[1].len()].iter_mut().for_each(|x| *x = random.next());
        }
        Case { name, board, holes, reach, rows }
    };
    let ace: Hole = "AsAd".parse().unwrap();
    vec![
        case("full", "Kh9d7c4s2h", &|_, _, _| true),
        case("random", "Kh9d7c4s2h", &|random, _, _| random.next() < 0.5),
        case("sparse", "Kh9d7c4s2h", &|random, player, _| random.next() < [0.02, 0.05][player]),
        // All holes of one strength, and pairs of a paired board.
        case("tied", "AhKhQhJhTh", &|random, _, _| random.next() < 0.7),
        case("tied in groups", "KsKhQdQc3c", &|_, _, _| true),
        // Every hole of the player shares a card with many of the opponent's, and some with all.
        case("blocked", "Kh9d7c4s2h", &|_, player, hole| match player {
            0 => hole.set().intersects(ace.set()),
            _ => hole.low().rank() == ace.low().rank() || hole.high().rank() == ace.high().rank(),
        }),
        case("one hole each", "Kh9d7c4s2h", &|_, _, hole| hole == ace),
    ]
}

struct Table {
    entries: [Entries; 2],
    order: Order,
}

impl Table {
    fn new(case: &Case) -> Table {
        let cards = |hole: &Hole| [hole.low().index() as u8, hole.high().index() as u8];
        let mut entries = [0, 1].map(|p| Entries::new(case.holes[p].iter().map(cards)));
        for (p, entries) in entries.iter_mut().enumerate() {
            let other = &case.holes[1 - p];
            let slot = |hole: &Hole| other.iter().position(|other| other == hole);
            entries.set_same(other.len(), case.holes[p].iter().map(slot));
        }
        let mut order = Order::default();
        let deck = Deck::without(case.board.set());
        for group in River::new(case.board.set()).showdown().groups() {
            for hole in group.iter().map(|ranked| deck.hole(ranked.slot as usize).unwrap()) {
                for p in 0..2 {
                    if let Some(slot) = case.holes[p].iter().position(|&other| other == hole) {
                        order.push(p, RankedHole { slot: slot as u16, cards: cards(&hole) });
                    }
                }
            }
            order.close_group();
        }
        Table { entries, order }
    }

    fn seat(&self) -> Seat<'_> {
        Seat { own: &self.entries[0], opponent: &self.entries[1], order: &self.order, player: 0 }
    }
}

/// Showdowns with and without folds, folds alone, and both: folds that fit into the lanes that the
/// showdowns leave, fully or after whole walks of their own, and folds that do not.
fn payouts(case: &Case) -> Vec<Payouts> {
    let stakes = |row: usize| Stakes { lose: -5.0 - row as f32, half: 2.5 + row as f32 };
    let mut shows = Vec::new();
    let mut folds = Vec::new();
    for row in 0..case.rows {
        let fold = if row % 2 == 0 { NONE } else { (case.rows + row) as u32 };
        let (row, show, fold_pay) = (row as u32, row as u32, 3.0 - row as f32);
        shows.push(Payout { row, show, stakes: stakes(row as usize), fold, fold_pay });
        let fold = 2 * case.rows as u32 + row;
        folds.push(Payout { row, show: NONE, stakes: Stakes::default(), fold, fold_pay });
    }
    let counts = [(11, 0), (0, 11), (11, 5), (11, 11), (11, 6), (8, 3)];
    let some = |&(show, fold): &(usize, usize)| Payouts {
        shows: shows[..show].to_vec(),
        folds: folds[..fold].to_vec(),
    };
    counts.iter().map(some).collect()
}

struct Pay<'a, T>(&'a mut Terminals<T>, Seat<'a>, &'a Payouts, &'a [f32], &'a mut [f32]);

impl<T: Number> Kernel for Pay<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, level: L) {
        self.0.pay_all(level, self.1, self.2, self.3, self.4);
    }
}

/// What every pair of holes is paid, in 64 bits: at the showdown and at the fold of a payout.
fn oracle(case: &Case, payout: &Payout, hole: Hole, strengths: &[Strength]) -> [f64; 2] {
    let own = evaluate(hole.set() | case.board.set());
    let stride = (case.holes[1].len() + 1).next_multiple_of(LANES);
    let reach = &case.reach[payout.row as usize * stride..];
    let (lose, half) = (f64::from(payout.stakes.lose), f64::from(payout.stakes.half));
    let mut paid = [0.0; 2];
    for ((other, &strength), &reach) in case.holes[1].iter().zip(strengths).zip(reach) {
        if other.set().intersects(hole.set()) {
            continue;
        }
        let halves = match own.cmp(&strength) {
            Ordering::Less => 0.0,
            Ordering::Equal => 1.0,
            Ordering::Greater => 2.0,
        };
        paid[0] += f64::from(reach) * (lose + halves * half);
        paid[1] += f64::from(reach) * f64::from(payout.fold_pay);
    }
    paid
}

/// Values of all payouts with one set of instructions, after another board has left its values.
fn values<T: Number>(case: &Case, payouts: &Payouts, instructions: Instructions) -> Vec<f32> {
    let table = Table::new(case);
    let (seat, stride) = (table.seat(), table.entries[0].stride());
    let mut terminals = Terminals::<T>::new(1088);
    let full = &cases()[0];
    let mut values = vec![f32::NAN; 33 * 1088];
    run_with(
        instructions,
        Pay(&mut terminals, Table::new(full).seat(), payouts, &full.reach, &mut values),
    );
    let mut values = vec![f32::NAN; 3 * case.rows * stride];
    run_with(instructions, Pay(&mut terminals, seat, payouts, &case.reach, &mut values));
    values
}

fn agree<T: Number>(tolerance: f64) {
    for case in cases() {
        let strength = |hole: &Hole| evaluate(hole.set() | case.board.set());
        let strengths: Vec<Strength> = case.holes[1].iter().map(strength).collect();
        let stride = Table::new(&case).entries[0].stride();
        for payouts in payouts(&case) {
            let plain = values::<T>(&case, &payouts, Instructions::Plain);
            for &instructions in Instructions::available() {
                let wide = values::<T>(&case, &payouts, instructions);
                let bits = |values: &[f32]| values.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
                assert_eq!(bits(&plain), bits(&wide), "{} {instructions:?}", case.name);
            }
            let check = |node: u32, at: usize, expected: f64| {
                if node != NONE {
                    let found = f64::from(plain[node as usize * stride + at]);
                    let close = (found - expected).abs() <= tolerance * (1.0 + expected.abs());
                    assert!(close, "{}: {found} {expected}", case.name);
                }
            };
            for payout in payouts.kinds().into_iter().flatten() {
                for (at, &hole) in case.holes[0].iter().enumerate().step_by(7) {
                    let [show, fold] = oracle(&case, payout, hole, &strengths);
                    check(payout.show, at, show);
                    check(payout.fold, at, fold);
                }
                for at in case.holes[0].len()..stride {
                    check(payout.show, at, 0.0);
                    check(payout.fold, at, 0.0);
                }
            }
        }
    }
}

#[test]
fn payouts_are_what_every_pair_of_holes_is_paid() {
    agree::<f32>(2e-3);
}

#[test]
fn payouts_in_64_bits_are_rounded_once() {
    agree::<f64>(1e-6);
}

/// The walks over rows that are side by side already give the same bits as those that transpose.
#[test]
fn walks_over_lanes_are_those_of_payouts() {
    for case in cases() {
        let table = Table::new(&case);
        let (seat, stride) = (table.seat(), table.entries[0].stride());
        let reach_stride = table.entries[1].stride();
        let rows: [&[f32]; LANES] =
            std::array::from_fn(|row| &case.reach[row * reach_stride..][..reach_stride]);
        let mut reach = vec![Lanes::<f32>::ZERO; reach_stride];
        load(lethe_compute::simd::Plain, rows, &mut reach);
        let all = &payouts(&case)[0];
        let shows = &all.shows[..LANES];
        let half = Lanes::of(shows, |payout| payout.stakes.half);
        let lose = Lanes::of(shows, |payout| payout.stakes.lose);
        let pay = Lanes::of(shows, |payout| payout.fold_pay);
        let (mut sums, mut shown) = (CardSums::default(), vec![Lanes::ZERO; stride]);
        let mut folded = shown.clone();
        seat.show(&mut sums, &reach, half, lose, &mut shown);
        seat.fold(&sums, &reach, pay, &mut folded);
        let summed = seat.add_up(&reach);
        assert!((summed.all.0[3] - sums.all.0[3]).abs() <= 1e-3 * summed.all.0[3]);
        let values = values::<f32>(&case, all, Instructions::Plain);
        for at in 0..case.holes[0].len() {
            for (lane, payout) in shows.iter().enumerate() {
                assert_eq!(shown[at].0[lane], values[payout.show as usize * stride + at]);
                if payout.fold != NONE {
                    assert_eq!(folded[at].0[lane], values[payout.fold as usize * stride + at]);
                }
            }
        }
    }
}

#[test]
fn eight_rows_are_put_side_by_side_and_back() {
    struct Turn<'a>([&'a [f32]; LANES]);

    impl Kernel for Turn<'_> {
        type Output = (Vec<Lanes<f64>>, [[f32; LANES]; LANES]);

        #[inline(always)]
        fn run<L: Level>(self, level: L) -> Self::Output {
            let mut out = vec![Lanes::ZERO; 16];
            load(level, self.0, &mut out);
            let back = unload(level, out[8..].try_into().expect("eight"));
            (out, back)
        }
    }

    let rows: Vec<Vec<f32>> =
        (0..LANES).map(|row| (0..16).map(|i| (100 * row + i) as f32).collect()).collect();
    for &instructions in Instructions::available() {
        let (turned, back) =
            run_with(instructions, Turn(std::array::from_fn(|row| &rows[row][..])));
        for (i, lanes) in turned.iter().enumerate() {
            for (row, &x) in lanes.0.iter().enumerate() {
                assert_eq!(x, (100 * row + i) as f64);
            }
        }
        for (row, entries) in back.iter().enumerate() {
            assert_eq!(entries, &rows[row][8..]);
        }
    }
}

/// Loops over rows, with every set of instructions, against their definitions.
#[test]
fn loops_do_what_their_definitions_say() {
    struct Loops<'a>(&'a [Vec<f32>], &'a [u16]);

    impl Kernel for Loops<'_> {
        type Output = Vec<Vec<f32>>;

        #[inline(always)]
        fn run<L: Level>(self, _: L) -> Vec<Vec<f32>> {
            let Loops(rows, slots) = self;
            let each: Vec<&[f32]> = rows.iter().map(Vec::as_slice).collect();
            let mut out = vec![rows[0].clone(); 9];
            loops::combine(&mut out[0], [each[1], each[2]], |a, b| a * b);
            for count in 0..5 {
                loops::combine_all(&mut out[1 + count], &each[..count], |a, b| a + b);
            }
            loops::add_product(&mut out[6], each[1], each[2]);
            loops::two_products(&mut out[7], [each[1], each[2]], [each[3], each[4]]);
            loops::update(&mut out[8], each[1], loops::larger);
            let mut gathered = vec![rows[0].clone(); 3];
            loops::gather(&mut gathered[0], each[1], slots);
            loops::add_gathered(&mut gathered[1], each[1], slots);
            loops::scatter(&mut gathered[2], each[1], slots, |a, b| a + 2.0 * b);
            out.extend(gathered);
            out
        }
    }

    let mut random = Random(3);
    let len = 45;
    let rows: Vec<Vec<f32>> =
        (0..5).map(|_| (0..len).map(|_| random.next() - 0.5).collect()).collect();
    let slots: Vec<u16> = (0..len).map(|i| (i * 7 % len) as u16).collect();
    for &instructions in Instructions::available() {
        let out = run_with(instructions, Loops(&rows, &slots));
        for i in 0..len {
            let x: Vec<f32> = rows.iter().map(|row| row[i]).collect();
            let from = slots[i] as usize;
            let before = slots.iter().position(|&slot| slot as usize == i).unwrap();
            let expected = [
                x[1] * x[2],
                0.0,
                x[0],
                x[0] + x[1],
                x[0] + x[1] + x[2],
                x[0] + x[1] + x[2] + x[3],
                x[0] + x[1] * x[2],
                x[1] * x[2] + x[3] * x[4],
                x[0].max(x[1]),
                rows[1][from],
                x[0] + rows[1][from],
                x[0] + 2.0 * rows[1][before],
            ];
            for (at, (row, expected)) in out.iter().zip(expected).enumerate() {
                assert_eq!(row[i], expected, "loop {at} with {instructions:?}");
            }
        }
    }
}

#[test]
fn regret_matching_plays_in_proportion_to_positive_regrets() {
    struct Match<'a>(&'a [f32], &'a [f32]);

    impl Kernel for Match<'_> {
        type Output = [Vec<f32>; 2];

        #[inline(always)]
        fn run<L: Level>(self, _: L) -> [Vec<f32>; 2] {
            let mut out = [vec![0.0; self.0.len()], vec![0.0; self.0.len()]];
            matching::frequencies(self.0, &mut out[0], self.1.len());
            matching::reach_after(self.0, self.1, &mut out[1]);
            out
        }
    }

    let mut random = Random(5);
    let (len, actions) = (29, 3);
    let mut regrets: Vec<f32> = (0..len * actions).map(|_| random.next() - 0.6).collect();
    regrets[0] = f32::MIN_POSITIVE / 2.0;
    let reach: Vec<f32> = (0..len).map(|_| random.next()).collect();
    for &instructions in Instructions::available() {
        let [shares, after] = run_with(instructions, Match(&regrets, &reach));
        for i in 0..len {
            let positive = |a: usize| f64::from(regrets[a * len + i].max(0.0));
            let total: f64 = (0..actions).map(positive).sum();
            for a in 0..actions {
                let share = if total > 1e-30 { positive(a) / total } else { 1.0 / 3.0 };
                let found = f64::from(shares[a * len + i]);
                assert!((found - share).abs() < 1e-6, "{i} {a}: {found} {share}");
                assert_eq!(after[a * len + i], reach[i] * shares[a * len + i]);
            }
        }
    }
}

#[test]
fn a_fold_is_paid_with_the_showdown_of_its_row() {
    let stakes = Stakes { lose: -1.0, half: 2.0 };
    let terminals = [
        (0, 0, Terminal::Fold(1.0)),
        (1, 1, Terminal::Fold(2.0)),
        (2, 1, Terminal::Showdown(stakes)),
        (3, 1, Terminal::Fold(3.0)),
    ];
    let payouts = Payouts::new(terminals.into_iter());
    let alone =
        |row, fold, fold_pay| Payout { row, show: NONE, stakes: Stakes::default(), fold, fold_pay };
    assert_eq!(payouts.shows, [Payout { row: 1, show: 2, stakes, fold: 1, fold_pay: 2.0 }]);
    assert_eq!(payouts.folds, [alone(0, 0, 1.0), alone(1, 3, 3.0)]);
}

/// Buckets by rank, or by the first suit of the hole.
struct Toy {
    count: usize,
    by_suit: bool,
}

impl Buckets for Toy {
    fn count(&self, _: Street) -> usize {
        self.count
    }

    fn fill(&self, board: &Board, row: &mut [u32]) {
        for (bucket, hole) in row.iter_mut().zip(Deck::without(board.set()).holes()) {
            let card = hole.high();
            *bucket = if self.by_suit { card.suit().index() } else { card.index() / 4 } as u32;
        }
    }

    fn is_suit_invariant(&self) -> bool {
        true
    }
}

#[test]
fn a_bucket_out_of_range_is_an_error() {
    let board: Board = "Kh9d7c".parse().unwrap();
    let mut row = vec![0; Deck::row_len(Street::Flop)];
    let toy = |count| Toy { count, by_suit: false };
    assert_eq!(fill_checked(&toy(13), &board, &mut row), Ok(()));
    let error = fill_checked(&toy(12), &board, &mut row).unwrap_err();
    assert_eq!(error.to_string(), "bucket 12 on Kh9d7c is out of range: the flop has 12 buckets");
}

#[test]
#[cfg(debug_assertions)]
#[should_panic(expected = "renaming the suits of Kh9d7c changes a bucket")]
fn buckets_that_depend_on_suit_names_are_found_in_debug_builds() {
    let mut row = vec![0; Deck::row_len(Street::Flop)];
    let toy = Toy { count: 4, by_suit: true };
    let _ = fill_checked(&toy, &"Kh9d7c".parse().unwrap(), &mut row);
}
