//! Ranges, spots, what is on the machine, and the document.

use serde_json::json;

use crate::client::{RIVER, Running};

#[test]
fn a_range_is_read_and_its_errors_point_at_a_character() {
    let server = Running::new();
    let range = server.post("/range/parse", &json!({"text": "AhKh:0.5, AA"})).ok();
    assert_eq!(
        (range["text"].as_str(), range["combos"].as_f64()),
        (Some("AA,AhKh:0.5"), Some(6.5))
    );
    let wrong = server.post("/range/parse", &json!({"text": "QQ+, AKx"}));
    assert_eq!((wrong.status, wrong.json()["column"].as_u64()), (422, Some(8)));
}

#[test]
fn a_spot_is_checked_with_its_size_and_advice() {
    let server = Running::new();
    let check = server.post("/spots/check", &json!({"text": RIVER})).ok();
    assert_eq!(check["fits"], true);
    assert_eq!(check["form"]["bet_sizes"]["river"]["oop"]["bet"], "50%, a");
    assert!(check["tree"]["nodes"].as_u64() > Some(3));
    let wrong = server.post("/spots/check", &json!({"text": RIVER.replace("KK", "KX")}));
    assert_eq!((wrong.status, wrong.json()["line"].as_u64()), (422, Some(3)));
    // Far too large: many sizes on every street from the flop with deep stacks.
    let sizes = "{bet: \"20%, 33%, 50%, 75%, 100%, 150%\", raise: \"40%, 60%, 100%, a\"}";
    let street = format!("{{oop: {sizes}, ip: {sizes}}}");
    let huge = format!(
        "board: Ks7h2d\noop_range: random\nip_range: random\npot: 10\nstack: 2000\n\
         bet_sizes: {{flop: {street}, turn: {street}, river: {street}}}\n"
    );
    let check = server.post("/spots/check", &json!({"text": huge})).ok();
    assert_eq!(check["fits"], false);
    let job = server.post("/jobs", &json!({"spot": huge}));
    assert_eq!(job.status, 422, "{job:?}");
}

#[test]
fn spots_are_kept_listed_and_removed() {
    let server = Running::new();
    let put = |id: &str, text: &str| {
        server.send("PUT", &format!("/api/v1/spots/{id}"), "", &json!({"text": text}).to_string())
    };
    assert_eq!(put("mine", RIVER).status, 200);
    assert_eq!(put("bad", "board: [").status, 422);
    assert_eq!(server.get("/spots/mine").ok()["text"], RIVER);
    let library = server.get("/library").ok();
    let ids: Vec<&str> =
        library["spots"].as_array().unwrap().iter().map(|s| s["id"].as_str().unwrap()).collect();
    assert!(ids.contains(&"mine") && ids.contains(&"@srp-turn"), "{ids:?}");
    // Every example is a spot.
    for id in ids {
        let text = server.get(&format!("/spots/{id}")).ok()["text"].clone();
        assert_eq!(server.post("/spots/check", &json!({"text": text})).status, 200, "{id}");
    }
    assert_eq!(server.send("DELETE", "/api/v1/spots/mine", "", "").status, 204);
    assert_eq!(server.get("/spots/mine").status, 404);
}

#[test]
fn the_page_is_found_at_every_address_of_its_own() {
    let server = Running::new();
    for path in ["/", "/spot", "/browse/job/1", "/blueprint/quick"] {
        let answer = server.send("GET", path, "", "");
        assert!(answer.status == 200 && answer.body.contains("<div id=\"app\">"), "{path}");
    }
    let script = server.send("GET", "/app.js", "", "");
    let tag = script.head.lines().find_map(|line| line.strip_prefix("etag: ")).unwrap().to_owned();
    let again = server.send("GET", "/app.js", &format!("If-None-Match: {tag}\r\n"), "");
    assert_eq!((again.status, again.body.len()), (304, 0));
}
