//! Sessions: hands of a person, here a random one, against an agent.

use lethe_agent::SearchFrom;
use lethe_compute::Job;
use lethe_game::Player;
use lethe_play::{PlayError, Session, SessionConfig, TableView, Who};

use crate::small::{config, with_agent};

/// A line that a player might type.
fn typed(number: u64, view: &TableView) -> String {
    let draw = lethe_cluster::hash(number);
    let legal = view.legal.expect("the person's turn");
    let sized = |verb: &str| match (legal.least, legal.most) {
        (Some(least), Some(most)) => {
            format!("{verb} {}", u64::from(least) + draw / 16 % u64::from(most - least + 1))
        }
        _ => "c".to_owned(),
    };
    match draw % 16 {
        0 if legal.fold => "f".to_owned(),
        1 if legal.least.is_some() => "allin".to_owned(),
        2 if legal.least.is_some() => "pot".to_owned(),
        3..=5 => sized(if legal.bet { "b" } else { "r" }),
        _ => "c".to_owned(),
    }
}

fn session(seed: u64, stack: Option<u32>) -> Session {
    Session::new(&config(), SessionConfig { seed, stack, ..SessionConfig::default() }).unwrap()
}

/// Plays hands to their end, looking at every table on the way.
fn play(
    from: SearchFrom,
    seed: u64,
    stack: Option<u32>,
    hands: u64,
    mut look: impl FnMut(&TableView),
) -> Session {
    with_agent(from, |agent| {
        let mut session = session(seed, stack);
        for hand in 0..hands {
            session.deal().unwrap();
            let mut turns = 0;
            loop {
                session.answer(agent, Job::default()).unwrap();
                let view = session.table().unwrap();
                look(&view);
                if !session.is_playing() {
                    break;
                }
                session.act(&typed(hand << 16 | turns, &view)).unwrap();
                look(&session.table().unwrap());
                turns += 1;
            }
        }
        session.settle(agent, None, Job::default()).unwrap();
        session
    })
}

#[test]
fn chips_are_conserved_and_cards_hidden_in_every_view() {
    let session = play(SearchFrom::None, 3, None, 600, |view| {
        let TableView { pot, stacks, bets, .. } = view;
        assert_eq!(pot + stacks.you + stacks.agent, 4000);
        assert!(bets.you + bets.agent <= *pot);
        assert_eq!(view.to_act == Some(Who::You), view.legal.is_some());
        assert_eq!(view.to_act.is_none(), view.result.is_some());
        let shown = view.result.as_ref().is_some_and(|result| result.folded.is_none());
        assert_eq!(view.agents_hole.is_some(), shown);
    });
    let finished = session.finished();
    assert_eq!(finished.len(), 600);
    for (place, done) in finished.iter().enumerate() {
        assert_eq!(done.hand.number, place as u64 + 1);
        assert_eq!(done.person, if place % 2 == 0 { Player::Ip } else { Player::Oop });
        assert_eq!(done.hand.payoffs().unwrap()[done.person.index()], done.won);
        assert_eq!(done.hand.names[done.person.index()], "you");
    }
    let won: i64 = finished.iter().map(|done| done.won).sum();
    let score = session.score();
    assert_eq!(score.hands, 600);
    assert!((score.won_bb - won as f64 / 100.0).abs() < 1e-6);
    assert!((score.raw.unwrap().bb100 * 6.0 - score.won_bb).abs() < 1e-6);
    // Sizes outside the tree occurred, and hands of every length.
    let shown = finished.iter().filter(|done| done.hand.board.cards().len() == 5).count();
    assert!((50..550).contains(&shown), "{shown}");
}

#[test]
fn the_seed_fixes_the_cards_and_nothing_else_does() {
    let cards = |session: &Session| -> Vec<_> {
        session.finished().iter().map(|done| (done.hand.holes, done.hand.board)).collect()
    };
    let [a, again, b] = [7, 7, 8].map(|seed| play(SearchFrom::None, seed, None, 20, |_| {}));
    assert_eq!(cards(&a), cards(&again));
    assert_ne!(cards(&a), cards(&b));
    let short = play(SearchFrom::None, 7, Some(700), 20, |_| {});
    let holes = |session: &Session| -> Vec<_> {
        session.finished().iter().map(|done| done.hand.holes).collect()
    };
    assert_eq!(holes(&a), holes(&short));
    assert!(short.finished().iter().all(|done| done.won.abs() <= 700));
}

#[test]
fn what_is_refused_changes_nothing() {
    with_agent(SearchFrom::None, |agent| {
        let mut session = session(1, None);
        assert!(matches!(session.act("c"), Err(PlayError::NoHand)));
        assert!(matches!(session.review(None, agent, Job::default()), Err(PlayError::NotFinished)));
        session.deal().unwrap();
        assert!(matches!(session.deal(), Err(PlayError::NotOver)));
        let before = session.table();
        for words in ["x", "r 150", "r 5000", "", "nonsense", "b"] {
            assert!(matches!(session.act(words), Err(PlayError::Words(_))), "{words}");
            assert_eq!(session.table(), before);
        }
        session.act("r 300").unwrap();
        assert!(matches!(session.act("c"), Err(PlayError::NotYourTurn)));
        assert!(matches!(session.hint(agent, Job::default()), Err(PlayError::NotYourTurn)));
        session.answer(agent, Job::default()).unwrap();
    });
    let deep = SessionConfig { stack: Some(2001), ..SessionConfig::default() };
    assert!(Session::new(&config(), deep).unwrap_err().to_string().contains("at most 2000"));
    let short = SessionConfig { stack: Some(100), ..SessionConfig::default() };
    assert!(Session::new(&config(), short).is_err());
}

#[test]
fn hints_and_reviews_value_what_the_person_may_do() {
    with_agent(SearchFrom::River, |agent| {
        let mut session = session(5, None);
        let (mut reviewed, mut losses) = (0, 0.0);
        for hand in 0..6 {
            session.deal().unwrap();
            loop {
                session.answer(agent, Job::default()).unwrap();
                let view = session.table().unwrap();
                if !session.is_playing() {
                    break;
                }
                let hint = session.hint(agent, Job::default()).unwrap();
                assert_eq!((&hint.hand, hint.pot), (&view.hole, view.pot));
                let total: f64 = hint.frequencies.iter().filter_map(|share| share.frequency).sum();
                assert!((total - 1.0).abs() < 1e-5, "{total}");
                if view.street != "preflop" {
                    let fold = hint.frequencies.iter().find(|share| share.action.action == "fold");
                    assert!(fold.is_none_or(|fold| fold.ev == Some(0.0)), "{hint:?}");
                    assert!(hint.best().is_some());
                }
                let words = if hand % 2 == 0 { "c".to_owned() } else { typed(hand << 8, &view) };
                session.act(&words).unwrap();
            }
            let decisions = session.review(None, agent, Job::default()).unwrap();
            let own = |acted: &&lethe_play::ActedView| acted.by == Who::You;
            assert_eq!(
                decisions.len(),
                session.table().unwrap().actions.iter().filter(own).count()
            );
            for judged in &decisions {
                reviewed += 1;
                if let (Some(loss), Some(ev), Some(best)) =
                    (judged.loss, judged.ev, judged.advice.best())
                {
                    assert!(loss >= 0.0 && (best - ev - loss).abs() < 1e-6 || ev > best);
                    losses += loss;
                }
            }
        }
        assert!(reviewed >= 6 && losses > 0.0, "{reviewed} {losses}");
    });
}
