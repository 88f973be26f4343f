//! Ranges read, written and read again.

use proptest::prelude::*;

use super::Range;
use crate::hole::{Hole, StartingHand};
use crate::matchups::Matchups;
use crate::parse::{ParseError, ParseErrorKind, parse_cards};

/// The out-of-position 3-bet-pot range of the published QsJh2h spot.
const OOP: &str = "88+,A8s+,A5s-A2s:0.5,AJo+,ATo:0.75,K9s+,KQo,KJo:0.75,KTo:0.25,Q9s+,QJo:0.5,\
    J8s+,JTo:0.25,T8s+,T7s:0.45,97s+,96s:0.45,87s,86s:0.75,85s:0.45,75s+:0.75,74s:0.45,65s:0.75,\
    64s:0.5,63s:0.45,54s:0.75,53s:0.5,52s:0.45,43s:0.5,42s:0.45,32s:0.45";
/// The in-position range of the same spot.
const IP: &str = "AA:0.25,99-22,AJs-A2s,AQo-A8o,K2s+,K9o+,Q2s+,Q9o+,J6s+,J9o+,T6s+,T9o,96s+,\
    95s:0.5,98o,86s+,85s:0.5,75s+,74s:0.5,64s+,63s:0.5,54s,53s:0.5,43s";

fn read(text: &str) -> Range {
    match text.parse() {
        Ok(range) => range,
        Err(error) => panic!("{}", ParseError::pointing_at(&error, text)),
    }
}

fn weight(range: &Range, hole: &str) -> f64 {
    f64::from(range.weight(hole.parse().unwrap())) / f64::from(Range::ONE)
}

/// The classes with a weight in a range in which no class is split, in grid order.
fn classes(range: &Range) -> Vec<String> {
    let split = |class: StartingHand| {
        let mut weights = class.holes().map(|hole| range.weight(hole));
        let first = weights.next();
        weights.any(|ppm| Some(ppm) != first)
    };
    let inside = |class: StartingHand| class.holes().all(|hole| range.weight(hole) > 0);
    assert!(StartingHand::all().all(|class| !split(class)));
    let inside = StartingHand::all().filter(|&class| inside(class));
    inside.map(|class| class.to_string()).collect()
}

#[test]
fn entries_have_the_combos_players_count() {
    let counted = [
        ("22+", 78.0),
        ("QQ-99", 24.0),
        ("99-QQ", 24.0),
        ("AKs", 4.0),
        ("AKo", 12.0),
        ("AK", 16.0),
        ("KA", 16.0),
        ("AhKh", 1.0),
        ("A2s+", 48.0),
        ("A2+", 192.0),
        ("KTo+", 36.0),
        ("T9s+", 20.0),
        ("54s+", 40.0),
        ("AKs+", 4.0),
        ("AA+", 6.0),
        ("A5s-A2s", 16.0),
        ("A2s-A5s", 16.0),
        ("JTs-87s", 16.0),
        ("J9s-86s", 16.0),
        ("AK-AT", 64.0),
        ("A*", 198.0),
        ("A*s", 48.0),
        ("7*o", 144.0),
        ("0.46%", 6.0),
        ("100%", 1326.0),
        ("[50]AKs[/50]", 2.0),
        ("random", 1326.0),
        ("random:0.5", 663.0),
        ("random:0", 0.0),
    ];
    for (text, combos) in counted {
        assert_eq!(read(text).combos(), combos, "{text}");
    }
}

#[test]
fn plus_climbs_by_the_kicker_unless_the_ranks_are_next_to_each_other() {
    let climbs = [
        ("T9s+", "AKs KQs QJs JTs T9s"),
        ("T8s+", "T9s T8s"),
        ("KTo+", "KQo KJo KTo"),
        ("JJ+", "AA KK QQ JJ"),
        ("K9-K8", "K9s K8s K9o K8o"),
        ("J9s-86s", "J9s T8s 97s 86s"),
    ];
    for (text, expected) in climbs {
        assert_eq!(classes(&read(text)).join(" "), expected, "{text}");
    }
}

#[test]
fn every_common_spelling_is_read() {
    let same = [
        ("AKs,QQ", "aKS qq"),
        ("AKs,QQ", " ,AKs,, QQ,\n"),
        ("QQ-99:0.5", "qq - 99 : .5"),
        ("QQ-99", "QQ–99"),
        ("AhKh,Ts9s", "a♥k♥ 10s9S"),
        ("AhKh", "A♥\u{fe0f}K♥\u{fe0f}"),
        ("KhAh", "AhKh"),
        ("T9s", "109s"),
        ("random", "RanDom:1"),
        ("AKs", "AKs:1."),
        ("AKs", "AKs:1.000000"),
        ("AKs:0.25", "aks:00.250"),
        ("AhKh:0.25,AdKd", "AdKd:1 AhKh:0.25"),
        ("AsKs", "asks"),
        ("AA,A2+", "a*"),
        ("AKs,KQs-K2s", "K*S"),
        ("AKo,KQo-K2o", "K*o"),
        ("A2s+:0.5,QQ", "A*s:0.5 qq"),
        ("AKs:0.5,QQ:0.5,JJ", "[50]AKs,QQ[/50],JJ"),
        ("AKs:0.5,JJ:0.125", "[50.0] AKs [/50] [12.5%]JJ[/12.5]"),
        ("AKs:0.5", "[50]AKs[/50.000]"),
        ("22:0.5", "[50]22[/50]"),
        ("random", "100%"),
        // The strongest by equity against a random hand: AA, KK, QQ, JJ, TT, 99, 88, AKs, 77.
        ("88+,AKs", "3.5%"),
        ("77+,AKs:0.5,77:0.5,88+:0.5", "[50]3.9999%[/50]"),
    ];
    for (one, other) in same {
        assert_eq!(read(one), read(other), "{one} and {other}");
    }
    assert_ne!(read("AsKs"), read("AKs"));
}

#[test]
fn later_entries_overwrite_earlier_ones() {
    let range = read("A2s+:0.5, AhKh:0.25, A5s:0, AdQd");
    assert_eq!(weight(&range, "AhKh"), 0.25);
    assert_eq!(weight(&range, "AsKs"), 0.5);
    assert_eq!(weight(&range, "As5s"), 0.0);
    assert_eq!(weight(&range, "AdQd"), 1.0);
    assert_eq!(read("AhKh:0.25,AKs:0.5"), read("AKs:0.5"));
}

/// The totals are sums of classes x holes a class x weight, counted off the text by hand.
#[test]
fn published_ranges_are_read() {
    let oop = read(OOP);
    let pairs_and_offsuit = 7.0 * 6.0 + 12.0 * (4.0 + 0.75 + 0.75 + 0.25 + 0.5 + 0.25);
    let full_suited = 4.0 * (6 + 4 + 3 + 3 + 2 + 2 + 1) as f64;
    let part_suited = 4.0 * (8.0 * 0.45 + (4 + 3) as f64 * 0.5 + 5.0 * 0.75);
    let expected = pairs_and_offsuit + full_suited + part_suited;
    assert!((oop.combos() - expected).abs() < 1e-9, "{}", oop.combos());
    let samples = [
        ("8s8h", 1.0),
        ("7s7h", 0.0),
        ("Ah3h", 0.5),
        ("Ah6h", 0.0),
        ("AsTd", 0.75),
        ("KcTh", 0.25),
        ("Tc7c", 0.45),
        ("7d6d", 0.75),
        ("3s2s", 0.45),
        ("KsQd", 1.0),
    ];
    for (hole, expected) in samples {
        assert_eq!(weight(&oop, hole), expected, "{hole}");
    }

    let ip = read(IP);
    let pairs = 6.0 * (0.25 + 8.0);
    let offsuit = 12.0 * (5 + 4 + 3 + 2 + 1 + 1) as f64;
    let suited = 4.0 * ((10 + 11 + 10 + 5 + 4 + 3 + 2 + 2 + 2 + 1 + 1) as f64 + 5.0 * 0.5);
    assert_eq!(ip.combos(), pairs + offsuit + suited);
    assert_eq!(weight(&ip, "AhAd"), 0.25);
    assert_eq!(weight(&ip, "AhQh"), 0.0);
    assert_eq!(weight(&ip, "6h3h"), 0.5);
}

#[test]
fn problems_name_the_column_and_what_would_be_right() {
    let problems = [
        ("A", 1, "A alone is not a hand: a hand is two ranks"),
        ("QQ, A ,KK", 5, "A alone"),
        ("Ax", 1, "'x' is neither a rank"),
        ("AAs", 2, "a pair is neither suited nor offsuit: write AA"),
        ("77o+", 2, "a pair is neither"),
        ("22-AKs", 3, "22 and this hand cannot form a range"),
        ("KTo-A9o", 4, "KTo and this hand"),
        ("A5s-A2o", 4, "A5s and this hand"),
        ("A5s-A2", 4, "both suited, both offsuit"),
        ("AKs-AhQh", 4, "AKs and this hand"),
        ("QQ-", 3, "a hand such as AKs"),
        ("QQ-99+", 5, "expected a comma before '+'"),
        ("22+-99", 3, "not both"),
        ("22 + - 99", 5, "not both"),
        ("-99", 0, "'-' without a hand"),
        (":0.5", 0, "':' without a hand"),
        ("AKs:1.5", 4, "weight above 1"),
        ("AKs:99999999999999999999", 4, "above 1"),
        ("AKs:1.000001", 4, "above 1"),
        ("AKs:", 4, "missing weight"),
        ("AKs:.", 5, "missing weight"),
        ("AKs:,QQ", 4, "missing weight"),
        ("AKs:x", 4, "expected a weight, found 'x'"),
        ("AKs:-0.5", 4, "expected a weight, found '-'"),
        ("AKs:50%", 6, "a weight is not in percent"),
        ("AKs:0.1234567", 12, "at most six decimals"),
        ("AKs:0.5x", 7, "expected a comma before 'x'"),
        ("AKsQQ", 3, "expected a comma before 'Q'"),
        ("AKh", 2, "write AKs (suited), AKo (offsuit)"),
        ("AhKh+", 4, "AhKh is a single hand"),
        ("AhKh - AhQh", 5, "AhKh is a single hand"),
        ("Ah", 2, "Ah is one card"),
        ("Ah Kh", 2, "Ah is one card"),
        ("AhK", 3, "the last card has no suit"),
        ("AhKx", 3, "unknown suit 'x'"),
        ("AhKKs", 3, "unknown suit 'K'"),
        ("Ahxx", 2, "unknown rank 'x'"),
        ("QQ,AhAh", 5, "duplicate card Ah"),
        ("QQ,xx", 3, "unknown rank 'x'"),
        ("1s", 0, "unknown rank '1'"),
        ("♠", 0, "unknown rank '♠'"),
        ("A♠\u{fe0f}K", 4, "the last card has no suit"),
        ("rand", 0, "unknown word 'rand'"),
        ("random+", 6, "expected a comma before '+'"),
        ("randoms", 0, "unknown word 'randoms'"),
        ("QQ,101%", 3, "more than 100 %"),
        ("0.2%", 0, "AA, is 0.46 %"),
        ("20.00001%", 0, "a percentage four"),
        ("20%%", 3, "expected a comma before '%'"),
        ("A*s+", 3, "a star already means every kicker"),
        ("**", 0, "unknown rank '*'"),
        ("A*h", 2, "expected a comma before 'h'"),
        ("QQ,[50]AKs", 3, "this group is never closed"),
        ("[50]AKs[/40]", 7, "this closes no group of that weight"),
        ("AKs[/50]", 3, "this closes no group"),
        ("[50][40]AKs[/40][/50]", 4, "a group within a group"),
        ("[50]AKs:0.5[/50]", 7, "already gives the weight"),
        ("[x]AKs[/x]", 1, "expected a percentage in brackets"),
        ("[50AKs", 3, "expected a percentage in brackets"),
        ("[150]AKs[/150]", 1, "more than 100 %"),
    ];
    for (text, at, message) in problems {
        let error = text.parse::<Range>().expect_err(text);
        assert!(error.to_string().contains(message), "{text}: {error}");
        assert_eq!(error.at, at, "{text}: {error}");
    }
    for text in ["", "  ", " ,\n,"] {
        let error = text.parse::<Range>().unwrap_err();
        assert!(matches!(error.kind, ParseErrorKind::Empty { .. }), "{text}");
    }
}

/// What a starting hand wins against a random one, from the table of matchups.
fn won(class: StartingHand) -> u128 {
    let hole = class.holes().next().unwrap();
    let tally = Matchups::shipped().against(hole, &[1; Hole::COUNT]);
    2 * tally.wins + tally.ties
}

#[test]
fn a_percentage_is_the_strongest_hands_and_no_more_fit() {
    let mut before = Range::empty();
    for tenths in 5..=1000u32 {
        let range = read(&format!("{}.{}%", tenths / 10, tenths % 10));
        let most = f64::from(tenths) / 1000.0 * Hole::COUNT as f64;
        assert!(range.combos() <= most + 1e-9, "{tenths}");
        assert!(before.iter().all(|(hole, _)| range.weight(hole) == Range::ONE), "{tenths}");
        if tenths % 50 == 0 {
            let inside =
                |class: &StartingHand| range.weight(class.holes().next().unwrap()) == Range::ONE;
            let (inside, outside): (Vec<_>, Vec<_>) = StartingHand::all().partition(inside);
            let weakest = inside.iter().map(|&class| won(class)).min().unwrap();
            if let Some(&next) = outside.iter().max_by_key(|&&class| won(class)) {
                assert!(weakest >= won(next), "{tenths}");
                // The next one in the order, or one as strong, does not fit any more.
                let same = outside.iter().filter(|&&class| won(class) == won(next));
                let least = same.map(|class| class.combos()).max().unwrap();
                assert!(range.combos() + least as f64 > most, "{tenths}");
            } else {
                assert_eq!(tenths, 1000);
            }
        }
        before = range;
    }
}

#[test]
fn ranges_print_as_players_write_them() {
    let printed = [
        ("AA,KK,QQ,JJ", "JJ+"),
        ("QQ,JJ,TT,99,AA", "AA,QQ-99"),
        ("AKs,AQs,AJs", "AJs+"),
        ("A5s,A4s,A3s,A2s", "A5s-A2s"),
        ("A2s+,A2o+", "A2+"),
        ("A2s+,A9o+", "A2s+,A9o+"),
        ("AKs,AKo", "AK"),
        ("A5,A4,A3", "A5-A3"),
        ("KTo,KJo,KQo", "KTo+"),
        ("T9s+", "T9s+"),
        ("T9,98,87", "T9-87"),
        ("JTs,T9s,98s,87s", "JTs-87s"),
        ("J9s,T8s,97s,86s", "J9s-86s"),
        ("JTs-87s,J9s-86s", "J9s+,T8s+,97s+,86s+"),
        ("AKs,KQs,AKo", "AK,KQs"),
        ("T9s-65s,98o", "T9s-65s,98o"),
        ("AQs-86s", "AQs-86s"),
        ("87s,76s", "87s,76s"),
        ("AKo:0.5,QQ+,AKs:0.333333", "QQ+,AKo:0.5,AKs:0.333333"),
        ("98s:0.000001,22:0.10", "22:0.1,98s:0.000001"),
        ("AdKd,AhKh:0.25", "AdKd,AhKh:0.25"),
        ("AKs:0.5,AhKh:0.25", "AKs:0.5,AhKh:0.25"),
        ("22+,2s2h:0", "22+,2s2h:0"),
        ("22+,A2+,K2+,Q2+,J2+,T2+,92+,82+,72+,62+,52+,42+,32", "random"),
        ("random,72o:0", "random,72o:0"),
        ("random:0.5,AA", "random:0.5,AA"),
        ("AA:0", "random:0"),
    ];
    for (text, expected) in printed {
        assert_eq!(read(text).to_string(), expected, "{text}");
    }
    assert_eq!(
        read(IP).to_string(),
        "99-22,AJs-A2s,K2s+,Q2s+,J6s+,T6s+,96s+,86s+,75s+,64s+,54s,43s,\
         AQo-A8o,K9o+,Q9o+,J9o+,T9o,98o,95s:0.5,85s-63s:0.5,53s:0.5,AA:0.25"
    );
    assert_eq!(
        read(OOP).to_string(),
        "88+,A8s+,K9s+,Q9s+,J8s+,T8s+,97s+,87s,AJo+,KQo,86s:0.75,75s+:0.75,65s-54s:0.75,\
         ATo:0.75,KJo:0.75,A5s-A2s:0.5,64s-53s:0.5,43s:0.5,QJo:0.5,T7s-52s:0.45,42s:0.45,32s:0.45,\
         KTo:0.25,JTo:0.25"
    );
}

#[test]
fn the_parts_of_a_range_agree() {
    let range = read(OOP);
    let summed: u64 = range.iter().map(|(_, ppm)| u64::from(ppm)).sum();
    assert_eq!(summed as f64 / 1e6, range.combos());
    assert!(range.iter().all(|(hole, ppm)| range.weight(hole) == ppm));
    assert_eq!(Range::full().iter().count(), Hole::COUNT);
    assert!(Range::empty().is_empty() && !Range::full().is_empty());
}

#[test]
fn dead_cards_take_their_holes_out() {
    let dead = parse_cards("As Kd").unwrap().into_iter().collect();
    let left = Range::full().without(dead);
    assert_eq!(left.combos(), (50 * 49 / 2) as f64);
    assert!(left.iter().all(|(hole, _)| !hole.set().intersects(dead)));
}

/// Every hole of non-zero weight as an entry of its own.
fn naive(range: &Range) -> String {
    let entry = |(hole, ppm): (Hole, u32)| match ppm {
        Range::ONE => hole.to_string(),
        _ => {
            let decimals = format!("{ppm:06}");
            format!("{hole}:0.{}", decimals.trim_end_matches('0'))
        }
    };
    range.iter().map(entry).collect::<Vec<_>>().join(",")
}

fn check_print(range: &Range) -> Result<(), TestCaseError> {
    let text = range.to_string();
    let back: Range = text.parse().map_err(|error: ParseError| {
        TestCaseError::fail(format!("printed: {}", error.pointing_at(&text)))
    })?;
    prop_assert_eq!(&back, range);
    prop_assert_eq!(back.to_string(), text.clone());
    if !range.is_empty() {
        let naive = naive(range);
        prop_assert_eq!(&read(&naive), range);
        prop_assert!(text.len() <= naive.len(), "{} is longer than {}", text, naive);
    }
    Ok(())
}

fn any_weight() -> impl Strategy<Value = u32> {
    prop_oneof![
        4 => Just(Range::ONE),
        2 => Just(Range::ONE / 2),
        1 => Just(0),
        1 => (0..=100u32).prop_map(|percent| percent * 10_000),
        1 => 0..=Range::ONE,
    ]
}

fn any_entry() -> impl Strategy<Value = String> {
    let climbing = (0..13u8, 0..13u8, 0..13u8, "[so]?").prop_map(|(gap, a, b, kind)| {
        let rank = |index: u8| char::from(b"23456789TJQKA"[usize::from(index)]);
        let kind = if gap == 0 { "" } else { kind.as_str() };
        let end = |low: u8| format!("{}{}{kind}", rank(low + gap), rank(low));
        format!("{}-{}", end(a.min(12 - gap)), end(b.min(12 - gap)))
    });
    let rank = "[2-9TJQKAtjqka]";
    let kickers = (rank, rank, rank, "[so]?")
        .prop_map(|(high, a, b, kind)| format!("{high}{a}{kind}-{high}{b}{kind}"));
    let hand = prop_oneof![
        1 => "random",
        4 => "[2-9TJQKAtjqka][cdhs♣♦♥♠][2-9TJQKAtjqka][cdhs♣♦♥♠]",
        4 => "[2-9TJQKAtjqka]{2}[soSO]?[+]?",
        2 => kickers,
        2 => climbing,
        1 => "[2-9TJQKAtjqka][*][soSO]?",
        1 => "([1-9]|[1-9][0-9]|100)([.][0-9]{1,4})?%",
    ];
    let weight = "(:0|:1|:0[.][0-9]{1,6}|:[.]5)?";
    (hand, weight).prop_map(|(hand, weight)| hand + &weight)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn ranges_from_entries_read_back(entries in prop::collection::vec(any_entry(), 1..12)) {
        let valid: Vec<_> = entries.iter().filter(|e| e.parse::<Range>().is_ok()).collect();
        let joined = valid.iter().map(|e| e.as_str()).collect::<Vec<_>>().join(", ");
        let range = joined.parse().unwrap_or_else(|_| Range::empty());
        check_print(&range)?;
        let mut one_by_one = Range::empty();
        for entry in valid {
            let holes = entry.split(':').next().unwrap_or_default();
            let weighted = read(entry);
            for (hole, _) in read(holes).iter() {
                one_by_one.set(hole, weighted.weight(hole));
            }
        }
        prop_assert_eq!(one_by_one, range);
    }

    #[test]
    fn a_group_in_brackets_gives_each_entry_its_weight(
        entries in prop::collection::vec(any_entry(), 1..6),
        after in any_entry(),
        percent in 0..=100u32,
    ) {
        let bare = |entry: &String| entry.split(':').next().unwrap_or_default().to_owned();
        let mut valid: Vec<String> = entries.iter().map(bare).collect();
        valid.retain(|entry| entry.parse::<Range>().is_ok());
        prop_assume!(!valid.is_empty() && after.parse::<Range>().is_ok());
        let group = format!("[{percent}]{}[/{percent}]{after}", valid.join(","));
        let weight = format!(":{}", f64::from(percent) / 100.0);
        let spelled = valid.join(&format!("{weight},")) + &weight + "," + &after;
        prop_assert_eq!(read(&group), read(&spelled), "{} and {}", group, spelled);
    }

    #[test]
    fn ranges_of_random_holes_read_back(
        holes in prop::collection::vec((0..Hole::COUNT, any_weight()), 0..200)
    ) {
        let mut range = Range::empty();
        for (index, ppm) in holes {
            range.set(Hole::from_index(index).unwrap(), ppm);
        }
        check_print(&range)?;
    }

    #[test]
    fn ranges_of_classes_read_back(
        first in any_weight(),
        second in any_weight(),
        chosen in prop::collection::vec(0..3u8, StartingHand::COUNT),
        exceptions in prop::collection::vec((0..Hole::COUNT, any_weight()), 0..6),
    ) {
        let mut range = Range::empty();
        for (class, choice) in StartingHand::all().zip(chosen) {
            let ppm = [first, second, 0][usize::from(choice)];
            class.holes().for_each(|hole| range.set(hole, ppm));
        }
        for (index, ppm) in exceptions {
            range.set(Hole::from_index(index).unwrap(), ppm);
        }
        check_print(&range)?;
    }

    #[test]
    fn ranges_without_dead_cards_read_back(
        entries in prop::collection::vec(any_entry(), 1..6),
        dead in prop::collection::vec(0..52usize, 0..6),
    ) {
        let valid = entries.into_iter().filter(|e| e.parse::<Range>().is_ok());
        let text = valid.collect::<Vec<_>>().join(" ");
        let dead = dead.into_iter().filter_map(crate::card::Card::from_index).collect();
        let range = text.parse().unwrap_or_else(|_| Range::full());
        check_print(&range.without(dead))?;
    }
}

fn check_read(text: &str) -> Result<(), TestCaseError> {
    match text.parse::<Range>() {
        Ok(range) => check_print(&range),
        Err(error) => {
            prop_assert!(error.at <= text.chars().count());
            prop_assert!(error.pointing_at(text).contains('^'));
            Ok(())
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn nothing_a_player_types_panics(text in "[2-9TJQKAtqaRsohdcx01.:,+%*/\\[\\]♠♥\u{fe0f} -]{0,14}") {
        check_read(&text)?;
    }

    #[test]
    fn no_text_panics(text in "\\PC{0,20}|.{0,20}") {
        check_read(&text)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    #[test]
    fn no_slip_of_the_pen_panics(
        entries in prop::collection::vec(any_entry(), 1..4),
        at in any::<prop::sample::Index>(),
        slip in "[2-9TJQKAtqaRsohdcx01.:,+%*/\\[\\]♠ -]?",
    ) {
        let text: Vec<char> = entries.join(",").chars().collect();
        let (before, after) = text.split_at(at.index(text.len()));
        let slipped = before.iter().copied().chain(slip.chars()).chain(after[1..].iter().copied());
        check_read(&slipped.collect::<String>())?;
    }
}
