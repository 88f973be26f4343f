//! Short texts of the command line: bet sizes, amounts, actions, keys, limits, recipes and roots.
#![no_main]

use lethe_blueprint::Baseline;
use lethe_fuzz::{check_json, read, refused};
use lethe_game::{Action, Amount, Chips, Decimal, InfoKey, Scale, Sizes, Unit};
use lethe_kit::limits;
use lethe_lab::{Recipe, Root, StreetRecipe};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    type Parser = fn(&str) -> Result<Sizes, lethe_game::SizeError>;
    for parse in [Sizes::parse_bets as Parser, Sizes::parse_raises] {
        match parse(text) {
            Ok(sizes) => assert_eq!(parse(&sizes.to_string()), Ok(sizes)),
            Err(error) => {
                assert!(error.column <= text.chars().count() + 1, "{text:?}: {error}");
                refused(&error);
            }
        }
    }
    if let Some(decimal) = Decimal::parse(text) {
        assert_eq!(Decimal::parse(&decimal.to_string()), Some(decimal));
        for chips in [0, 1, 90, lethe_game::MAX_CHIPS, Chips::MAX] {
            assert!(decimal.percent_of(chips) <= decimal.times(chips));
        }
    }
    if let Some(amount) = read::<Amount>(text) {
        for big_blind in [2, 3, 100, 1_000_000, Chips::MAX] {
            for unit in [Unit::Chips, Unit::Bb] {
                let scale = Scale::new(unit, Some(big_blind)).expect("a big blind");
                if let Err(error) = scale.chips("pot", amount) {
                    refused(&error);
                }
            }
        }
    }
    read::<Action>(text);
    read::<InfoKey>(text);
    read::<StreetRecipe>(text);
    read::<Recipe>(text);
    match text.parse::<Root>() {
        Ok(root) => {
            assert_eq!(root.to_string().parse::<Root>().map(|r| r.board()), Ok(root.board()))
        }
        Err(error) => refused(&error),
    }
    if let Err(error) = text.parse::<Baseline>() {
        refused(&error);
    }
    if let Ok(share) = limits::percent(text) {
        assert!(share > 0.0 && share <= 1.0);
    }
    if let Ok(time) = limits::time(text) {
        check_json(&time.as_secs_f64());
    }
    if let Ok(bytes) = limits::memory(text) {
        assert!(bytes > 0);
    }
});
