use lethe_abstraction::method::{Distance, Horizon, Sampling};
use lethe_abstraction::{Method, PerStreet, Plan};
use lethe_cards::Street;

use super::{buckets, methods};
use crate::config::{AbstractionConfig, flop_table, flop_tables, presets};

fn texture(clusters: [usize; 3], sampled: Option<Sampling>) -> PerStreet<Method> {
    let [flop, turn, river] = clusters;
    PerStreet { flop, turn, river }.map(|_, clusters| Method::Texture { clusters, sampled })
}

#[test]
fn presets_are_what_their_names_promise() {
    let plan = |name| AbstractionConfig::preset(name).unwrap().resolve().unwrap();
    assert_eq!(plan("default"), AbstractionConfig::default().resolve().unwrap());
    // The names of artifacts that exist: keys added later must not change them.
    assert_eq!(plan("default").name(), "F500T500R500-histogram10-3fa8bc09");
    assert_eq!(plan("quick").name(), "F8000T4000R50-C200-histogram10-texture-8ef6474b");

    let blueprint = plan("blueprint");
    assert_eq!(buckets(&blueprint), [200; 3]);
    assert_eq!(methods(&blueprint), methods(&plan("default")));

    let fine = plan("fine");
    let histogram =
        Method::Histogram { bins: 50, distance: Distance::Emd, horizon: Horizon::River };
    let river = Method::Ochs { clusters: 8 };
    assert_eq!(methods(&fine), PerStreet { flop: histogram.clone(), turn: histogram, river });
    assert_eq!(buckets(&fine), [500; 3]);

    for (name, clusters, counts) in [
        ("texture-fast-test", [10, 20, 30], [10, 20, 30]),
        ("texture-default", [50, 100, 200], [50, 100, 200]),
        ("texture-production", [100, 200, 400], [100, 300, 600]),
    ] {
        let plan = plan(name);
        assert_eq!(methods(&plan), texture(clusters, None), "{name}");
        assert_eq!(buckets(&plan), counts, "{name}");
    }
}

#[test]
fn tables_of_flop_clusters_can_be_used_and_say_how_they_were_made() {
    for preset in flop_tables() {
        let table = flop_table(preset.name).unwrap();
        assert!(table.made_by().starts_with("lethe cluster-flops"), "{}", preset.name);
        assert_eq!(table.to_text(), preset.text, "{} is as it was written", preset.name);
        assert!(table.explained().windows(2).all(|pair| pair[0] <= pair[1]));
    }
    let mut config = AbstractionConfig::preset("quick-clusters").unwrap();
    let plan = config.resolve().unwrap();
    assert_eq!(plan.flop_clusters().unwrap().count(), 32);
    let on = |plan: &Plan| Street::POSTFLOP.map(|street| plan.flop_clusters().unwrap().on(street));
    assert_eq!(on(&plan), [32, 32, 32]);
    config.set("flop_clusters.count={flop: 16, turn: 16, river: 1}").unwrap();
    assert_eq!(on(&config.resolve().unwrap()), [16, 16, 1]);
    config.set("flop_clusters.count.river=2").unwrap();
    assert_eq!(on(&config.resolve().unwrap()), [16, 16, 2]);
    config.set("flop_clusters.count=4").unwrap();
    let four = config.resolve().unwrap();
    assert_eq!(four.flop_clusters().unwrap(), &plan.flop_clusters().unwrap().cut(4).unwrap());
    // 64 clusters would be too many for so many buckets.
    assert!(config.set("num_flop_buckets=100000").is_ok());
    let error = config.set("flop_clusters.count=64").and_then(|()| config.resolve().map(drop));
    let error = error.unwrap_err().to_string();
    assert!(error.contains("64 flop clusters of 100000 buckets are 6400000"), "{error}");
}

#[test]
fn texture_presets_can_be_sampled_by_removing_two_marks() {
    for (name, equity_samples) in
        [("texture-fast-test", 100), ("texture-default", 1000), ("texture-production", 2000)]
    {
        let preset = presets().iter().find(|preset| preset.name == name).unwrap();
        let text = preset
            .text
            .replace("# representatives_per_cluster:", "representatives_per_cluster:")
            .replace("# equity_samples:", "equity_samples:");
        let plan = AbstractionConfig::from_yaml(&text, name).unwrap().resolve().unwrap();
        let sampled = Some(Sampling { representatives: 1, equity_samples });
        assert!(methods(&plan).iter().all(|(_, method)| matches!(method,
            Method::Texture { sampled: found, .. } if *found == sampled)));

        let mut config = AbstractionConfig::preset(name).unwrap();
        config.set(&format!("equity_samples={equity_samples}")).unwrap();
        assert_eq!(config.resolve().unwrap(), plan);
    }
}

#[test]
fn every_key_of_a_preset_is_explained_above_it_and_used() {
    for preset in presets() {
        let config = AbstractionConfig::preset(preset.name).unwrap();
        let plan = config.resolve().unwrap();
        assert_eq!(config.unused(&plan), Vec::<String>::new(), "{}", preset.name);

        let lines: Vec<&str> = preset.text.lines().collect();
        assert_eq!(lines[0], format!("# {}", preset.summary()));
        for (number, line) in lines.iter().enumerate() {
            assert!(line.chars().count() <= 100, "{}:{}: too long", preset.name, number + 1);
            if line.starts_with(|c: char| c.is_ascii_lowercase()) {
                let mut above = lines[..number].iter().rev();
                let what = above.find(|above| !above.starts_with("num_")).unwrap();
                assert!(what.starts_with('#'), "{}: {line}: not explained", preset.name);
            }
        }
    }
}

#[test]
fn names_of_presets_are_the_names_of_files() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/configs");
    for preset in presets() {
        let path = format!("{folder}/{}.yaml", preset.name);
        let plan = AbstractionConfig::load(&path).unwrap().resolve().unwrap();
        assert_eq!(plan, AbstractionConfig::preset(preset.name).unwrap().resolve().unwrap());
    }
}
