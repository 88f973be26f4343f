//! Profiles of flops: what hands win on each, the features that flops are clustered by.
//!
//! A hand's value on a flop is its expected result in big blinds after a betting line, given how often
//! each opponent's hand takes that line; with the strategy itself, or with a best response from the
//! flop on. Two flops on which hands are worth the same can share a strategy.

use lethe_cards::{CanonicalBoard, Deck, Hole, StartingHand, Street};
use lethe_compute::{Cancelled, Job};
use rayon::prelude::*;

use crate::exact::Exact;
use crate::preflop::{ByClass, Preflop};
use crate::store::Weights;

const HAND_CLASSES: usize = StartingHand::COUNT;
/// Groups of hands by strength.
const GROUPS: usize = 24;

/// Which values a feature vector is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// What the strategy wins.
    Own,
    /// What a best response from the flop on wins.
    Best,
    /// Both.
    Both,
    /// What the best response wins beyond the strategy.
    Gain,
}

/// How hands are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grouping {
    /// By the 169 starting hands.
    Class,
    /// By strength: a range in the order of what its hands win with the strategy on that flop, cut
    /// into groups of equal weight. Which ranks a flop has does not show, but how it divides ranges.
    Strength,
}

/// The values of hands on one flop, after each line that reaches it, for both players.
#[derive(Clone, Debug)]
pub struct FlopProfile {
    flop: CanonicalBoard,
    by_class: Vec<Group>,
    by_strength: Vec<Group>,
}

/// Hands of one player after one line that are put together.
#[derive(Clone, Copy, Debug)]
struct Group {
    /// How often they are there, counting both players' hands; 0 if they never are.
    weight: f64,
    /// What they win on average with the strategy, in big blinds; none if the flop leaves no such hand.
    own: Option<f64>,
    /// The same with the best response.
    best: Option<f64>,
}

/// The profiles of all flops.
#[derive(Clone, Debug)]
pub struct FlopProfiles(Vec<FlopProfile>);

impl<W: Weights + ?Sized> Exact<'_, W> {
    /// The profiles of all flops, which take as long as the exact exploitability. Progress is in flops.
    pub fn flop_profiles(&self, job: Job<'_>) -> Result<FlopProfiles, Cancelled> {
        let reach = self.preflop_reach();
        let flops: Vec<CanonicalBoard> = CanonicalBoard::all(Street::Flop).collect();
        job.begin("flops", flops.len() as u64);
        let profiles = flops.into_par_iter().with_max_len(1).map(|flop| {
            let profile = self.profile(flop, &reach, job)?;
            job.advance(1);
            Ok(profile)
        });
        job.install(|| profiles.collect::<Result<_, _>>()).map(FlopProfiles)
    }

    /// The profile of one flop.
    pub fn flop_profile(
        &self,
        flop: CanonicalBoard,
        job: Job<'_>,
    ) -> Result<FlopProfile, Cancelled> {
        self.profile(flop, &self.preflop_reach(), job)
    }

    /// How often the hands of each player take each line to the flop; the big blind's first.
    fn preflop_reach(&self) -> [Vec<ByClass>; 2] {
        // A player's reach is what the opponent faces.
        [1, 0].map(|opponent| Preflop::new(self.plan, self.weights, opponent).lines())
    }

    fn profile(
        &self,
        flop: CanonicalBoard,
        reach: &[Vec<ByClass>; 2],
        job: Job<'_>,
    ) -> Result<FlopProfile, Cancelled> {
        let tree = self.plan.tree();
        let big_blind = f64::from(tree.node(tree.root()).contributed()[0]);
        let deck = flop.deck();
        let (mut by_class, mut by_strength) = (Vec::new(), Vec::new());
        for p in [0, 1] {
            let values = self.flop_holes(p, flop, &reach[1 - p], job)?;
            for (line, values) in values.iter().enumerate() {
                let faced = faced(flop, &reach[1 - p][line]);
                let hand = |(slot, hole): (usize, Hole)| {
                    let class = hole.class().index();
                    // A value is a sum over the opponent's hands, as the reach faced is.
                    let value = |sum: f32| f64::from(sum) / (faced[slot] * big_blind);
                    let [own, best] = [0, 1].map(|kind| values[kind][slot]).map(value);
                    Hand { class, weight: reach[p][line][class] * faced[slot], own, best }
                };
                let hands = deck.holes().enumerate().map(hand);
                let mut hands: Vec<Hand> = hands.filter(|hand| hand.own.is_finite()).collect();
                by_class.extend(classes(&hands));
                // Equal values in the order of their slots, so that the result is always the same.
                hands.sort_by(|a, b| b.own.total_cmp(&a.own));
                by_strength.extend(quantiles(&hands));
            }
        }
        Ok(FlopProfile { flop, by_class, by_strength })
    }
}

/// A hand on a flop after a line.
#[derive(Clone, Copy)]
struct Hand {
    class: usize,
    weight: f64,
    own: f64,
    best: f64,
}

/// The opponent's reach that each hole of a flop faces: of all holes without its cards.
fn faced(flop: CanonicalBoard, reach: &ByClass) -> Vec<f64> {
    let deck: Deck = flop.deck();
    let (mut all, mut by_card) = (0.0, [0.0; 52]);
    for hole in deck.holes() {
        let x = reach[hole.class().index()];
        all += x;
        by_card[hole.high().index()] += x;
        by_card[hole.low().index()] += x;
    }
    let faced = |hole: Hole| {
        let cards = by_card[hole.high().index()] + by_card[hole.low().index()];
        (all - cards + reach[hole.class().index()]).max(0.0)
    };
    // What is left of rounding is nothing.
    deck.holes().map(faced).map(|x| if x > all * 1e-9 { x } else { 0.0 }).collect()
}

/// Hands by starting hand. One that the player never plays so has a value, but no weight.
fn classes(hands: &[Hand]) -> Vec<Group> {
    let mut sums = vec![[0.0; 4]; HAND_CLASSES];
    for hand in hands {
        let terms = [hand.weight, 1.0, hand.own, hand.best];
        sums[hand.class].iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
    }
    let group = |[weight, count, own, best]: [f64; 4]| {
        let mean = |sum: f64| (count > 0.0).then(|| sum / count);
        Group { weight, own: mean(own), best: mean(best) }
    };
    sums.into_iter().map(group).collect()
}

/// Hands in the order of strength by groups of equal weight.
fn quantiles(hands: &[Hand]) -> Vec<Group> {
    let weight = hands.iter().map(|hand| hand.weight).sum::<f64>() / GROUPS as f64;
    let mut sums = [[0.0; 2]; GROUPS];
    let (mut group, mut room) = (0, weight);
    for hand in hands {
        let mut left = hand.weight;
        while left > 0.0 {
            // The last group takes what rounding leaves.
            let part = if group + 1 < GROUPS { left.min(room) } else { left };
            sums[group][0] += part * hand.own;
            sums[group][1] += part * hand.best;
            (left, room) = (left - part, room - part);
            if room <= 0.0 && group + 1 < GROUPS {
                (group, room) = (group + 1, weight);
            }
        }
    }
    let mean = |sum: f64| (weight > 0.0).then(|| sum / weight);
    sums.map(|[own, best]| Group { weight, own: mean(own), best: mean(best) }).to_vec()
}

impl FlopProfile {
    fn groups(&self, grouping: Grouping) -> &[Group] {
        match grouping {
            Grouping::Class => &self.by_class,
            Grouping::Strength => &self.by_strength,
        }
    }
}

impl FlopProfiles {
    /// The feature vectors of all flops, row after row in the order of their index.
    ///
    /// A squared distance of two flops is the mean squared difference of what hands are worth on
    /// them, in squared big blinds, over hands as often as both players' actions bring them to the
    /// flop. Hands that cannot be held on a flop are taken to be worth what they are on average.
    pub fn features(&self, kind: ValueKind, grouping: Grouping) -> Vec<f32> {
        let groups: Vec<&[Group]> = self.0.iter().map(|profile| profile.groups(grouping)).collect();
        let deals = |flop: usize| f64::from(self.0[flop].flop.multiplicity());
        let count = groups.first().map_or(0, |groups| groups.len());
        let mut weights = vec![0.0; count];
        for (flop, groups) in groups.iter().enumerate() {
            let terms = weights.iter_mut().zip(groups.iter());
            terms.for_each(|(sum, group)| *sum += deals(flop) * group.weight);
        }
        let total: f64 = weights.iter().sum();
        let value: &[fn(&Group) -> Option<f64>] = match kind {
            ValueKind::Own => &[|group| group.own],
            ValueKind::Best => &[|group| group.best],
            ValueKind::Both => &[|group| group.own, |group| group.best],
            ValueKind::Gain => &[|group| Some(group.best? - group.own?)],
        };
        let columns = value.len() * count;
        let mut features = vec![0.0; groups.len() * columns];
        for column in 0..columns {
            let (value, group) = (value[column / count], column % count);
            let of = |flop: usize| value(&groups[flop][group]);
            let known = (0..groups.len()).filter_map(|flop| Some((deals(flop), of(flop)?)));
            let (all, sum) =
                known.fold((0.0, 0.0), |(all, sum), (deals, x)| (all + deals, sum + deals * x));
            let mean = if all > 0.0 { sum / all } else { 0.0 };
            let scale = if total > 0.0 { (weights[group] / total).sqrt() } else { 0.0 };
            for flop in 0..groups.len() {
                let difference = of(flop).map_or(0.0, |value| value - mean);
                features[flop * columns + column] = (scale * difference) as f32;
            }
        }
        features
    }
}

#[cfg(test)]
mod tests {
    use lethe_game::{Game, HandConfig, Tree};

    use super::*;
    use crate::blueprint::CardModel;
    use crate::exact::Wanted;
    use crate::plan::Plan;

    const OWN: Wanted = Wanted { own: true, ladder: false };

    /// A limped and a raised pot, and a bet after each.
    const GAME: &str = r#"{"stack":900,"small_blind":50,"big_blind":100,"bet_sizes":{
        "preflop":{"sb":{"raise":"2.5x"}}, "flop":{"ip":{"bet":"a"}}}}"#;

    /// A strategy that looks random.
    struct Hashed;

    impl Weights for Hashed {
        fn weight(&self, cell: usize) -> f32 {
            1.0 + (cell as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(20) as u8 as f32
        }
    }

    fn plan() -> Plan {
        let config: HandConfig = serde_json::from_str(GAME).unwrap();
        let tree = Tree::build(Game::hand(&config).unwrap(), Tree::NODE_LIMIT).unwrap();
        Plan::new(tree, [1; 3])
    }

    #[test]
    fn hands_face_the_reach_of_holes_without_their_cards() {
        let flop = CanonicalBoard::of(&"Ts8h8d".parse().unwrap()).0;
        let reach: ByClass = std::array::from_fn(|class| (class % 7) as f64);
        let deck = flop.deck();
        for (hole, faced) in deck.holes().zip(faced(flop, &reach)) {
            let others = deck.holes().filter(|other| !other.set().intersects(hole.set()));
            let expected: f64 = others.map(|other| reach[other.class().index()]).sum();
            assert!((faced - expected).abs() < 1e-9, "{hole}: {faced} and {expected}");
        }
    }

    #[test]
    fn groups_add_up_to_the_values_of_the_flop() {
        let plan = plan();
        let exact = Exact { plan: &plan, buckets: &CardModel::Blank, weights: &Hashed };
        assert_eq!(exact.lines(), 2);
        let reach = exact.preflop_reach();
        for flop in ["Ts8h8d", "7s7d7c", "AhJh4h"] {
            let flop = CanonicalBoard::of(&flop.parse().unwrap()).0;
            let profile = exact.flop_profile(flop, Job::default()).unwrap();
            for p in [0, 1] {
                let sums = exact.flop(p, flop, &reach[1 - p], OWN, Job::default()).unwrap();
                for line in 0..2 {
                    let part = |groups: &[Group], len: usize| {
                        groups[(2 * p + line) * len..][..len].to_vec()
                    };
                    let strong = part(&profile.by_strength, GROUPS);
                    let total = |sums: &[f64]| -> f64 {
                        let sums = &sums[line * HAND_CLASSES..][..HAND_CLASSES];
                        sums.iter().zip(&reach[p][line]).map(|(x, reach)| x * reach / 100.0).sum()
                    };
                    let own: f64 = strong.iter().map(|g| g.weight * g.own.unwrap()).sum();
                    let best: f64 = strong.iter().map(|g| g.weight * g.best.unwrap()).sum();
                    let (own_sum, best_sum) = (total(&sums.own), total(&sums.best));
                    assert!(
                        (own - own_sum).abs() < 1e-4 * own_sum.abs().max(1e3),
                        "{own} {own_sum}"
                    );
                    assert!((best - best_sum).abs() < 1e-4 * best_sum.abs().max(1e3));
                    assert!(best > own);
                    assert!(strong.windows(2).all(|pair| pair[0].own >= pair[1].own));
                    let classes = part(&profile.by_class, HAND_CLASSES);
                    let weight = |groups: &[Group]| groups.iter().map(|g| g.weight).sum::<f64>();
                    assert!((weight(&classes) / weight(&strong) - 1.0).abs() < 1e-9);
                    for (class, group) in StartingHand::all().zip(&classes) {
                        let holes = class.holes().filter(|h| !h.set().intersects(flop.set()));
                        assert_eq!(group.own.is_some(), holes.count() > 0, "{class}");
                        assert!(group.best >= group.own.map(|own| own - 1e-4), "{class}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_value_is_an_expected_one_against_what_the_hand_faces() {
        // All actions equally often: every hand reaches every line alike, and every hole of a flop
        // faces 1,081 others.
        let plan = plan();
        let exact =
            Exact { plan: &plan, buckets: &CardModel::Blank, weights: &crate::store::Uniform };
        let reach = exact.preflop_reach();
        let flop = CanonicalBoard::of(&"KsJh4d".parse().unwrap()).0;
        let profile = exact.flop_profile(flop, Job::default()).unwrap();
        let sums = exact.flop(1, flop, &reach[0], OWN, Job::default()).unwrap();
        for (line, (faced, reach)) in reach[0].iter().zip(&reach[1]).enumerate() {
            for class in StartingHand::all() {
                let group = profile.by_class[(2 + line) * HAND_CLASSES + class.index()];
                let holes = class.holes().filter(|h| !h.set().intersects(flop.set())).count();
                let faced = 1081.0 * faced[class.index()];
                let sum = sums.own[line * HAND_CLASSES + class.index()];
                let expected = sum / (holes as f64 * faced * 100.0);
                assert!((group.own.unwrap() - expected).abs() < 1e-6, "{class}");
                let weight = holes as f64 * faced * reach[class.index()];
                assert!((group.weight - weight).abs() < 1e-6 * weight, "{class}");
            }
        }
    }

    #[test]
    fn features_are_centred_and_weighted_by_how_often_hands_are_there() {
        let plan = plan();
        let exact = Exact { plan: &plan, buckets: &CardModel::Blank, weights: &Hashed };
        let flops = ["Ts8h8d", "7s7d7c", "AhJh4h", "QsJh4d"];
        let flops = flops.map(|flop| CanonicalBoard::of(&flop.parse().unwrap()).0);
        let profile = |flop| exact.flop_profile(flop, Job::default()).unwrap();
        let profiles = FlopProfiles(flops.map(profile).to_vec());
        for (kind, grouping, columns) in [
            (ValueKind::Own, Grouping::Class, 4 * HAND_CLASSES),
            (ValueKind::Both, Grouping::Class, 8 * HAND_CLASSES),
            (ValueKind::Best, Grouping::Strength, 4 * GROUPS),
            (ValueKind::Gain, Grouping::Strength, 4 * GROUPS),
        ] {
            let features = profiles.features(kind, grouping);
            assert_eq!(features.len(), 4 * columns);
            assert!(features.iter().all(|x| x.is_finite()));
            for column in 0..columns {
                let cells = features.iter().skip(column).step_by(columns);
                let sum: f64 = cells
                    .zip(flops)
                    .map(|(&x, f)| f64::from(x) * f64::from(f.multiplicity()))
                    .sum();
                assert!(sum.abs() < 1e-4, "{kind:?} {grouping:?} {column}: {sum}");
            }
        }
        // Sevens cannot be held on trips of them: nothing sets that flop apart there.
        let sevens = "7h7d".parse::<Hole>().unwrap().class().index();
        let own = profiles.features(ValueKind::Own, Grouping::Class);
        assert_eq!(own[4 * HAND_CLASSES + sevens], 0.0);
        assert_ne!(own[sevens], 0.0);
    }
}
