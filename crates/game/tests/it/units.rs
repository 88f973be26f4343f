use lethe_cards::Street;
use lethe_game::{Amount, ConfigError, Game, HandConfig, Scale, SpotConfig, Unit};
use proptest::prelude::*;

fn amount(text: &str) -> Amount {
    text.parse().unwrap()
}

fn hand(text: &str) -> Result<HandConfig, String> {
    serde_saphyr::from_str(text).map_err(|error| error.to_string())
}

#[test]
fn a_hand_in_big_blinds_is_the_hand_in_chips() {
    let chips = hand("{stack: 10000, small_blind: 50, big_blind: 100, ante: 25}").unwrap();
    let bb = hand("{unit: bb, stack: 100, small_blind: 0.5, ante: .25}").unwrap();
    assert_eq!(bb, chips);
    let bb = hand("{unit: bb, stack: 1e2, small_blind: 0.5, big_blind: 100, ante: 0.25}").unwrap();
    assert_eq!(bb, chips);
    let raked = hand("{unit: bb, stack: 20, small_blind: 0.5, rake: {percent: 5, cap: 0.125}}");
    assert_eq!(raked.unwrap().rake.cap, Some(12.5));
}

#[test]
fn fractions_of_a_chip_are_refused_with_the_nearest_amounts() {
    let cases = [
        (
            "{unit: bb, stack: 5.555, small_blind: 0.5}",
            "stack: 5.555 bb is 555.5 chips; write 5.55 or 5.56",
        ),
        ("{stack: 5.5, small_blind: 1, big_blind: 2}", "write 5 or 6, or add `unit: bb`"),
        (
            "{unit: bb, stack: 9, small_blind: 0.5, big_blind: 3}",
            "0.5 bb is 1.5 chips; write 0.333333 or 0.666667",
        ),
        ("{unit: bb, stack: 9, small_blind: 0.5, big_blind: 1}", "in chips even with `unit: bb`"),
        ("{stack: 9, small_blind: 0}", "the key big_blind is missing"),
        ("{stack: -9, small_blind: 0, big_blind: 2}", "expected an amount"),
        ("{unit: euros, stack: 9, small_blind: 0, big_blind: 2}", "euros"),
    ];
    for (text, expected) in cases {
        let message = hand(text).unwrap_err();
        assert!(message.contains(expected), "{message}\nexpected: {expected}");
    }
    let third = hand("{unit: bb, stack: 9, small_blind: 0.333333, big_blind: 3}").unwrap();
    assert_eq!((third.small_blind, third.stack), (1, 27));
}

#[test]
fn sizes_may_be_big_blinds() {
    let spot = |size: &str, big_blind| {
        let mut config = SpotConfig { big_blind, ..SpotConfig::new(100, 900) };
        config.bet_sizes.river.oop.bet = lethe_game::Sizes::parse_bets(size).unwrap();
        Game::spot(&config, Street::River)
    };
    assert!(matches!(spot("2.5bb", None), Err(ConfigError::NoBigBlind(_))));
    let message = spot("2.555bb", Some(100)).unwrap_err().to_string();
    assert!(message.ends_with("write 2.55bb or 2.56bb"), "{message}");
    let tree = lethe_game::Tree::build(spot("2.5bb", Some(20)).unwrap(), 100).unwrap();
    assert_eq!(tree.actions(tree.root())[1], lethe_game::Action::Bet(50));
}

proptest! {
    #[test]
    fn whole_chips_survive_the_way_through_big_blinds(
        chips in 1u32..1_000_000,
        big_blind in prop::sample::select(vec![2u32, 10, 20, 100, 1000]),
    ) {
        let scale = Scale::new(Unit::Bb, Some(big_blind)).unwrap();
        let text = (f64::from(chips) / f64::from(big_blind)).to_string();
        prop_assert_eq!(scale.chips("stack", amount(&text)).unwrap(), chips);
    }

    #[test]
    fn the_amounts_an_error_names_are_right(millionths in 1u64..100_000_000) {
        let scale = Scale::new(Unit::Bb, None).unwrap();
        let written = amount(&format!("{}.{:06}", millionths / 1_000_000, millionths % 1_000_000));
        match scale.chips("pot", written) {
            Ok(chips) => prop_assert_eq!(u64::from(chips) * 10_000, millionths),
            Err(lethe_game::AmountError::Fraction { low, high, .. }) => {
                let [low, high] = [low, high].map(|near| scale.chips("pot", amount(&near.to_string())).unwrap());
                prop_assert_eq!(low + 1, high);
                prop_assert!(u64::from(low) * 10_000 < millionths && millionths < u64::from(high) * 10_000);
            }
            Err(other) => prop_assert!(false, "{other}"),
        }
    }
}

#[test]
fn amounts_of_more_chips_than_can_be_counted_are_refused_without_overflow() {
    for big_blind in [1_000_003, 1_000_000_000, u32::MAX] {
        let scale = Scale::new(Unit::Bb, Some(big_blind)).unwrap();
        for text in ["1000000000", "999999999.999999", "18446.744073", "4295.000001"] {
            let chips = scale.chips("pot", amount(text));
            assert!(chips.is_ok_and(|chips| chips > lethe_game::MAX_CHIPS));
        }
    }
    let scale = Scale::new(Unit::Bb, Some(500_000)).unwrap();
    assert!(scale.chips("pot", amount("36893488.147419")).is_err());
}
