//! Bet-size text: what parses, what prints, what is refused and how the refusal reads.

use lethe_game::{Decimal, Size, SizeProblem, Sizes};
use proptest::prelude::*;

fn decimal(text: &str) -> Decimal {
    Decimal::parse(text).unwrap()
}

fn one(text: &str) -> Size {
    let sizes = Sizes::parse_raises(text).unwrap();
    assert_eq!(sizes.as_slice().len(), 1);
    sizes.as_slice()[0]
}

#[test]
fn every_form_is_read() {
    assert_eq!(one("33%"), Size::Pot(decimal("33")));
    assert_eq!(one("112.5%"), Size::Pot(decimal("112.5")));
    assert_eq!(one(".5%"), Size::Pot(decimal("0.5")));
    assert_eq!(one("2.5x"), Size::Multiple(decimal("2.5")));
    assert_eq!(one("3.5X"), Size::Multiple(decimal("3.5")));
    assert_eq!(one("10c"), Size::Chips(10));
    assert_eq!(one("a"), Size::AllIn);
    assert_eq!(one("A"), Size::AllIn);
    let geometric = |streets, cap| Size::Geometric { streets, cap };
    assert_eq!(one("e"), geometric(None, None));
    assert_eq!(one("3e"), geometric(Some(3), None));
    assert_eq!(one("e200%"), geometric(None, Some(decimal("200"))));
    assert_eq!(one("3E37.5%"), geometric(Some(3), Some(decimal("37.5"))));
}

#[test]
fn blank_text_is_the_empty_list() {
    assert!(Sizes::parse_bets("").unwrap().is_empty());
    assert!(Sizes::parse_bets("  ").unwrap().is_empty());
}

#[test]
fn errors_name_item_column_and_problem() {
    use SizeProblem::*;
    for (text, item, column, problem) in [
        ("0%", "0%", 1, ZeroPercent),
        ("33%, 0.0%", "0.0%", 6, ZeroPercent),
        ("33%,-5%", "-5%", 5, Negative),
        ("-5", "-5", 1, Negative),
        ("33%,, 75%", "", 5, Empty),
        ("33%, ", "", 5, Empty),
        (",", "", 1, Empty),
        ("é%, 50%", "é%", 1, Number),
        ("50%, é, 50", "é", 6, Unknown),
        ("1x", "1x", 1, MultipleTooSmall),
        ("0.5x", "0.5x", 1, MultipleTooSmall),
        ("x", "x", 1, Number),
        ("50", "50", 1, NoUnit),
        ("0c", "0c", 1, WholeChips),
        ("2.5c", "2.5c", 1, WholeChips),
        ("2000000000c", "2000000000c", 1, WholeChips),
        ("0e", "0e", 1, Streets),
        ("101e", "101e", 1, Streets),
        ("2.5e", "2.5e", 1, Streets),
        ("e0%", "e0%", 1, ZeroPercent),
        ("e200", "e200", 1, Unknown),
        ("e%", "e%", 1, Number),
        ("bet", "bet", 1, Unknown),
        ("1a", "1a", 1, Unknown),
        ("+42%", "+42%", 1, Number),
        ("1.1234567%", "1.1234567%", 1, Number),
        ("20c3r", "20c3r", 1, Unknown),
    ] {
        let error = Sizes::parse_raises(text).unwrap_err();
        assert_eq!(
            (error.item.as_str(), error.column, error.problem),
            (item, column, problem),
            "{text}"
        );
    }
}

#[test]
fn a_multiple_is_refused_in_a_bet_list_only() {
    assert!(Sizes::parse_raises("50%, 2.5x").is_ok());
    let error = Sizes::parse_bets("50%, 2.5x").unwrap_err();
    assert_eq!(
        error.to_string(),
        "bet size '2.5x' at column 6: x multiplies a previous bet, so it is only for raises; \
         write a percentage such as 75%"
    );
}

/// 33 % of 50 is 16.5; 35 % of 90 is 31.5, which floats miss; 33.3 % of 100 is 33.3.
#[test]
fn halves_round_up_exactly() {
    assert_eq!(decimal("33").percent_of(50), 17);
    assert_eq!(decimal("35").percent_of(90), 32);
    assert_eq!(decimal("57").percent_of(50), 29);
    assert_eq!(decimal("33.3").percent_of(100), 33);
    assert_eq!(decimal("2.5").times(5), 13);
    assert_eq!(decimal("10000000").percent_of(u32::MAX), u32::MAX);
}

fn any_decimal() -> impl Strategy<Value = Decimal> {
    (0u32..5000, 0u32..1_000_000, 0usize..=6).prop_filter_map(
        "above zero",
        |(whole, fraction, n)| {
            let digits = &format!("{fraction:06}")[..n];
            let value = decimal(&format!("{whole}.{digits}"));
            (!value.is_zero()).then_some(value)
        },
    )
}

fn any_size() -> impl Strategy<Value = Size> {
    prop_oneof![
        any_decimal().prop_map(Size::Pot),
        any_decimal().prop_filter("above 1x", |d| *d > Decimal::ONE).prop_map(Size::Multiple),
        (1u32..=lethe_game::MAX_CHIPS).prop_map(Size::Chips),
        (prop::option::of(1u8..=100), prop::option::of(any_decimal()))
            .prop_map(|(streets, cap)| Size::Geometric { streets, cap }),
        Just(Size::AllIn),
    ]
}

proptest! {
    #[test]
    fn printed_lists_read_back(sizes in prop::collection::vec(any_size(), 0..8)) {
        let text = sizes.iter().map(Size::to_string).collect::<Vec<_>>().join(", ");
        let list = Sizes::parse_raises(&text).unwrap();
        prop_assert_eq!(list.as_slice(), &sizes[..]);
        prop_assert_eq!(list.to_string(), text);
    }

    #[test]
    fn any_text_is_read_or_refused_within_it(text in "[0-9axec%.,\\- é]{0,12}") {
        match Sizes::parse_raises(&text) {
            Ok(list) => prop_assert_eq!(Sizes::parse_raises(&list.to_string()), Ok(list)),
            Err(error) => {
                let rest: String = text.chars().skip(error.column - 1).collect();
                prop_assert!(rest.starts_with(&error.item));
            }
        }
    }
}
