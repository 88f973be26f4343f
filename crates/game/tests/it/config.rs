//! The YAML keys: what is read, what is the default, what is refused and where.

use lethe_cards::Street;
use lethe_game::{ConfigError, Game, HandConfig, Rake, Sizes, SpotConfig, Tree};

const SPOT: &str = "\
pot: 180
stack: 910
bet_sizes:
  flop:
    oop: {bet: \"52%\", raise: \"45%\"}
    ip: {bet: 52%, raise: 45%}
  turn:
    oop: {bet: \"55%\", donk: \"\"}
    ip: {raise: \"2.5x, a\"}
    max_raises: 2
add_allin_threshold: 1.5
rake: {percent: 5, cap: 30}
";

fn spot(yaml: &str) -> Result<SpotConfig, String> {
    serde_saphyr::from_str(yaml).map_err(|error| error.to_string())
}

#[test]
fn a_spot_is_read_with_its_defaults() {
    let config = spot(SPOT).unwrap();
    assert_eq!((config.pot, config.stack), (180, 910));
    assert_eq!(config.add_allin_threshold, 1.5);
    assert_eq!((config.force_allin_threshold, config.merging_threshold), (0.0, 0.0));
    assert_eq!(config.rake, Rake { percent: 5.0, cap: Some(30.0) });
    let turn = &config.bet_sizes.turn;
    assert_eq!(turn.oop.donk.as_ref().map(|d| d.is_empty()), Some(true));
    assert_eq!(turn.ip.donk, None);
    assert_eq!(turn.ip.raise.to_string(), "2.5x, a");
    assert_eq!(turn.max_raises, Some(2));
    assert_eq!(config.bet_sizes.river, Default::default());
}

#[test]
fn a_written_configuration_reads_back() {
    let config = spot(SPOT).unwrap();
    let yaml = serde_saphyr::to_string(&config).unwrap();
    assert_eq!(spot(&yaml).unwrap(), config);
    let hand = HandConfig::new(10_000, 50, 100);
    let yaml = serde_saphyr::to_string(&hand).unwrap();
    assert_eq!(serde_saphyr::from_str::<HandConfig>(&yaml).unwrap(), hand);
}

#[test]
fn a_bad_size_is_shown_with_its_line_and_its_column_in_the_text() {
    let error = spot(&SPOT.replace("\"55%\"", "\"55%, 0%\"")).unwrap_err();
    assert!(error.contains("bet size '0%' at column 6: must be above 0%"), "{error}");
    assert!(error.contains("line 8"), "{error}");
    let error = spot(&SPOT.replace("bet: 52%", "bet: 2x")).unwrap_err();
    assert!(error.contains("x multiplies a previous bet"), "{error}");
}

#[test]
fn unknown_keys_are_refused() {
    for (from, to) in [
        ("pot:", "pots:"),
        ("flop:", "preflop:"),
        ("oop: {bet", "oop: {bets"),
        ("cap: 30", "caps: 30"),
    ] {
        assert!(spot(&SPOT.replacen(from, to, 1)).is_err(), "{to}");
    }
    let hand = "{stack: 1000, small_blind: 5, big_blind: 10, bet_sizes: {preflop: {sb: {bet: a}}}}";
    assert!(serde_saphyr::from_str::<HandConfig>(hand).is_err());
}

#[test]
fn values_out_of_range_are_refused_by_name() {
    let flop = |config: SpotConfig| Game::spot(&config, Street::Flop).unwrap_err();
    let good = SpotConfig::new(100, 100);
    assert_eq!(
        flop(SpotConfig { pot: 0, ..good.clone() }).to_string(),
        "pot is 0 chips; it must be from 1 to 1000000000"
    );
    assert!(matches!(
        flop(SpotConfig { stack: 2_000_000_000, ..good.clone() }),
        ConfigError::Chips { key: "stack", .. }
    ));
    assert!(matches!(
        flop(SpotConfig { merging_threshold: f64::NAN, ..good.clone() }),
        ConfigError::Threshold { key: "merging_threshold", .. }
    ));
    let rake = |percent, cap| SpotConfig { rake: Rake { percent, cap }, ..good.clone() };
    assert_eq!(flop(rake(101.0, None)), ConfigError::RakePercent(101.0));
    assert_eq!(flop(rake(5.0, Some(-1.0))), ConfigError::RakeCap(-1.0));
    assert_eq!(Game::spot(&good, Street::Preflop), Err(ConfigError::SpotPreflop));

    let hand = |stack, small, big| Game::hand(&HandConfig::new(stack, small, big)).unwrap_err();
    assert_eq!(hand(1000, 20, 10), ConfigError::Blinds { small: 20, big: 10 });
    assert_eq!(hand(10, 5, 10), ConfigError::StackBelowBlinds { stack: 10, needed: 10 });
    let mut no_open = HandConfig::new(1000, 5, 10);
    no_open.bet_sizes.preflop.limp = false;
    assert_eq!(Game::hand(&no_open), Err(ConfigError::NoOpen));
}

#[test]
fn an_absurd_tree_is_refused_before_it_is_built() {
    let sizes = "1c, 2c, 3c, 10%, 20%, 30%, 40%, 50%, 60%, 70%";
    let yaml = format!(
        "{{pot: 100, stack: 100000, bet_sizes: {{flop: {{oop: {{bet: '{sizes}', raise: '{sizes}'}}, \
         ip: {{bet: '{sizes}', raise: '{sizes}'}}}}}}}}"
    );
    let game = Game::spot(&spot(&yaml).unwrap(), Street::Flop).unwrap();
    let error = Tree::build(game, 100_000).unwrap_err();
    assert!(!error.exact);
    assert!(error.to_string().starts_with(
        "the betting tree has more than 100000 nodes and the limit is 100000; use fewer bet sizes"
    ));
}

#[test]
fn a_spot_knows_the_configuration_it_was_made_from() {
    let mut config = SpotConfig::new(180, 910);
    config.bet_sizes.turn.oop.bet = Sizes::parse_bets("33%, a").unwrap();
    config.bet_sizes.river.max_raises = Some(2);
    config.force_allin_threshold = 0.15;
    config.rake = Rake { percent: 5.0, cap: Some(30.0) };
    let game = Game::spot(&config, Street::Flop).unwrap();
    assert_eq!(game.spot_config(), Some(config));
    let hand = Game::hand(&HandConfig::new(10_000, 50, 100)).unwrap();
    assert_eq!(hand.spot_config(), None);
}
