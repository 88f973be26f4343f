//! Hands against the agent.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::Running;

fn at(server: &Running, id: &Value, what: &str) -> Value {
    server.post(&format!("/play/{id}/{what}"), &json!({})).ok()
}

/// Waits until nothing is computed at a table.
fn settled(server: &Running, id: &Value) -> Value {
    let begun = Instant::now();
    loop {
        let view = server.get(&format!("/play/{id}")).ok();
        assert!(view["error"].is_null(), "{view}");
        if view["busy"] == false {
            return view;
        }
        assert!(begun.elapsed() < Duration::from_secs(120), "{view}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Waits until the person is to act or the hand is over.
fn turn(server: &Running, id: &Value) -> Value {
    let begun = Instant::now();
    loop {
        let view = server.get(&format!("/play/{id}")).ok();
        if view["table"]["to_act"] != "agent" {
            return view;
        }
        assert!(view["error"].is_null() && begun.elapsed() < Duration::from_secs(120), "{view}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Checks and calls to the end of the hand, and waits for its review.
pub(crate) fn finish(server: &Running, id: &Value) -> Value {
    loop {
        let view = turn(server, id);
        if view["table"]["to_act"].is_null() {
            return settled(server, id);
        }
        server.post(&format!("/play/{id}/act"), &json!({"action": "c"})).ok();
    }
}

#[test]
fn hands_are_played_reviewed_and_scored() {
    let server = Running::with_blueprint();
    let open = json!({"run": "small", "seed": 7, "search": "river", "iterations": 10});
    let id = server.post("/play", &open).ok()["id"].clone();
    for number in 1..=6 {
        let view = finish(&server, &id);
        assert_eq!(view["table"]["number"], number);
        assert_eq!(view["score"]["hands"], number);
        let hand = server.get(&format!("/play/{id}/hands/{number}")).ok();
        // Seats alternate, and every decision is judged.
        assert_eq!(hand["seat"], if number % 2 == 1 { "sb" } else { "bb" });
        let own = hand["actions"].as_array().unwrap().iter().filter(|it| it["by"] == "you");
        assert_eq!(hand["review"].as_array().unwrap().len(), own.count());
        assert_eq!(hand["won_bb"], view["table"]["result"]["won_bb"]);
        at(&server, &id, "deal");
    }
    let view = turn(&server, &id);
    let won: f64 =
        view["hands"].as_array().unwrap().iter().map(|hand| hand["won_bb"].as_f64().unwrap()).sum();
    assert!((won - view["score"]["won_bb"].as_f64().unwrap()).abs() < 1e-9, "{view}");
    assert_eq!(view["has_values"], true);
    assert!(view["score"]["luck_removed"]["bb100"].is_number(), "{}", view["score"]);
    assert!(view["given_up"]["decisions"].as_u64() >= Some(6), "{}", view["given_up"]);
    // Before the showdown nobody sees the agent's cards.
    assert!(view["table"]["agents_hole"].is_null());
    at(&server, &id, "hint");
    let view = settled(&server, &id);
    let shares = view["hint"]["frequencies"].as_array().unwrap();
    let sum: f64 = shares.iter().map(|share| share["frequency"].as_f64().unwrap()).sum();
    assert!((sum - 1.0).abs() < 1e-6, "{}", view["hint"]);
    assert!(shares.iter().all(|share| share["ev_bb"].is_number()), "{}", view["hint"]);
}

#[test]
fn the_same_seed_deals_the_same_cards_in_the_chosen_seat() {
    let server = Running::with_blueprint();
    let holes = ["sb", "bb"].map(|seat| {
        let open = json!({"run": "small", "seed": 3, "seat": seat, "search": "none"});
        let id = server.post("/play", &open).ok()["id"].clone();
        let seats = [1, 2].map(|_| {
            let view = finish(&server, &id);
            at(&server, &id, "deal");
            view["hands"][0]["seat"].clone()
        });
        assert_eq!(seats, [seat, seat]);
        server.get(&format!("/play/{id}/hands/1")).ok()["hole"].clone()
    });
    assert_eq!(holes[0], holes[1]);
}

#[test]
fn tables_are_bounded_and_say_what_cannot_be_done() {
    let server = Running::with_blueprint();
    let open = |body: Value| server.post("/play", &body);
    assert_eq!(open(json!({"run": "nobody"})).status, 404);
    assert_eq!(open(json!({"run": "small", "stack": 5000})).status, 422);
    assert_eq!(open(json!({"run": "small", "stack": 100})).status, 422);
    assert_eq!(open(json!({"run": "small", "iterations": 0})).status, 422);
    assert_eq!(open(json!({"run": "small", "seat": "dealer"})).status, 400);
    let ids: Vec<Value> =
        (0..4).map(|_| open(json!({"run": "small", "seat": "sb"})).ok()["id"].clone()).collect();
    assert_eq!(open(json!({"run": "small"})).status, 429);
    let id = &ids[0];
    let act = |words: &str| server.post(&format!("/play/{id}/act"), &json!({"action": words}));
    let wrong = act("r 120");
    assert_eq!(wrong.status, 422);
    assert!(wrong.json()["error"].as_str().unwrap().contains("200 chips at least"), "{wrong:?}");
    assert_eq!(act("x").status, 422);
    assert_eq!(server.post(&format!("/play/{id}/deal"), &json!({})).status, 409);
    assert_eq!(act("f").status, 200);
    assert_eq!(act("c").status, 409);
    assert_eq!(server.post(&format!("/play/{id}/hint"), &json!({})).status, 409);
    assert_eq!(server.get(&format!("/play/{id}/hands/2")).status, 404);
    assert_eq!(server.send("DELETE", &format!("/api/v1/play/{id}"), "", "").status, 204);
    assert_eq!(server.get(&format!("/play/{id}")).status, 404);
    assert_eq!(open(json!({"run": "small"})).status, 201);
}

#[test]
fn a_search_is_stopped_at_once_and_resumes() {
    let server = Running::with_blueprint();
    // Thousands of iterations on the turn take seconds.
    let open = json!({"run": "small", "seat": "bb", "search": "turn", "iterations": 10_000});
    let id = server.post("/play", &open).ok()["id"].clone();
    let mut stopped = false;
    for _ in 0..40 {
        let view = turn(&server, &id);
        if view["table"]["to_act"].is_null() {
            at(&server, &id, "stop");
            at(&server, &id, "deal");
            at(&server, &id, "resume");
            continue;
        }
        let view = server.post(&format!("/play/{id}/act"), &json!({"action": "c"})).ok();
        if view["table"]["street"] == "turn" && view["table"]["to_act"] == "agent" {
            std::thread::sleep(Duration::from_millis(100));
            let begun = Instant::now();
            let view = at(&server, &id, "stop");
            let took = begun.elapsed();
            assert_eq!((&view["stopped"], &view["busy"]), (&json!(true), &json!(false)), "{view}");
            assert!(took < Duration::from_millis(1000), "{took:?}");
            if view["table"]["to_act"] == "agent" {
                // Nothing happens until it is resumed.
                assert_eq!(at(&server, &id, "resume")["busy"], true);
                stopped = true;
                break;
            }
            at(&server, &id, "resume");
        }
    }
    assert!(stopped, "no search was stopped");
    let (_, took) = server.end();
    assert!(took < Duration::from_secs(1), "{took:?}");
}
