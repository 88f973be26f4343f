//! Every phase of building, writing and verifying notices a cancellation soon.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use lethe_abstraction::artifact::{ArtifactWriter, CreateOutcome, WriteError};
use lethe_abstraction::method::{Distance, Horizon, Sampling, Split, Strength};
use lethe_abstraction::table::{Stored, Table};
use lethe_abstraction::{
    BuildError, Builder, Domain, Equities, KMeansSettings, Method, PerStreet, Plan, StreetPlan,
};
use lethe_cards::{Situation, Street};
use lethe_compute::{Job, Progress};

/// Cancels at some poll, and counts polls.
#[derive(Default)]
struct CancelAt {
    limit: Option<u64>,
    polls: AtomicU64,
}

impl Progress for CancelAt {
    fn begin(&self, _: &str, _: u64) {}
    fn advance(&self, _: u64) {}
    fn cancelled(&self) -> bool {
        let polls = self.polls.fetch_add(1, Relaxed);
        self.limit.is_some_and(|limit| polls >= limit)
    }
}

/// Runs `work` whole and then with a cancellation at each of ten moments; every one must be noticed
/// within `few` polls. Returns the polls of the whole.
fn check<E: std::fmt::Debug>(
    few: u64,
    cancelled: impl Fn(&E) -> bool,
    work: impl Fn(Job<'_>) -> Result<(), E>,
) -> u64 {
    let whole = CancelAt::default();
    work(Job::default().watched_by(&whole)).unwrap();
    let polls = whole.polls.into_inner();
    for tenth in 0..10 {
        let limit = polls * tenth / 10;
        let part = CancelAt { limit: Some(limit), ..CancelAt::default() };
        let error = work(Job::default().watched_by(&part)).unwrap_err();
        assert!(cancelled(&error), "{error:?}");
        let after = part.polls.into_inner() - limit;
        assert!(after <= few, "{after} polls after the cancellation");
    }
    polls
}

#[test]
fn every_method_can_be_cancelled() {
    let domain = Domain::below(&"QsQh5d".parse().unwrap(), Job::default()).unwrap();
    let builder = Builder::default();
    let histogram = |horizon| Method::Histogram { bins: 10, distance: Distance::Emd, horizon };
    let sampled = Some(Sampling { representatives: 1, equity_samples: 3 });
    for (street, method) in [
        (Street::Flop, histogram(Horizon::Next)),
        (Street::Turn, histogram(Horizon::River)),
        (Street::River, Method::Ochs { clusters: 4 }),
        (Street::Turn, Method::Ehs { feature: Strength::Ehs2, split: Split::Kmeans }),
        (Street::River, Method::Ehs { feature: Strength::Ehs, split: Split::Kmeans }),
        (Street::Turn, Method::Classes),
        (Street::River, Method::Classes),
        (Street::River, Method::Texture { clusters: 5, sampled: None }),
        (Street::Turn, Method::Texture { clusters: 5, sampled }),
    ] {
        let boards = domain.boards(street).unwrap().len() as u64;
        let buckets = if method == Method::Classes { 169 } else { 20 };
        let plan = StreetPlan::new(street, method.clone(), buckets).unwrap();
        let kmeans = KMeansSettings { max_iterations: 5, ..KMeansSettings::default() };
        // Opponents are clustered once, before polls are counted.
        builder.street(&plan, kmeans, &domain, Job::default()).unwrap();
        let cancelled = |error: &BuildError| matches!(error, BuildError::Cancelled(_));
        let polls =
            check(200, cancelled, |job| builder.street(&plan, kmeans, &domain, job).map(|_| ()));
        assert!(polls >= boards, "{method}: {polls} polls for {boards} boards");
    }
}

#[test]
fn equities_and_opponents_can_be_cancelled_at_once() {
    let stop = CancelAt { limit: Some(3), ..CancelAt::default() };
    Equities::compute(Job::default().watched_by(&stop)).unwrap_err();
    assert!(stop.polls.into_inner() < 200);
    let domain = Domain::below(&"Ks7h2d9s".parse().unwrap(), Job::default()).unwrap();
    let plan = StreetPlan::new(Street::River, Method::Ochs { clusters: 4 }, 20).unwrap();
    let stop = CancelAt { limit: Some(3), ..CancelAt::default() };
    let job = Job::default().watched_by(&stop);
    let built = Builder::default().street(&plan, KMeansSettings::default(), &domain, job);
    assert!(matches!(built.unwrap_err(), BuildError::Cancelled(_)));
    assert!(stop.polls.into_inner() < 200);
}

#[test]
fn writing_can_be_cancelled_and_leaves_nothing() {
    let root = tempfile::tempdir().unwrap();
    let streets = PerStreet { flop: (), turn: (), river: () }
        .map(|street, ()| StreetPlan::new(street, Method::Classes, 169).unwrap());
    let plan = Plan::new(streets, KMeansSettings::default()).unwrap();
    // 37 MB: three pieces to hash and three to write.
    let table = Stored::Dense(Table::U16(vec![0; Situation::slots(Street::Turn)]));
    let cancelled = |error: &WriteError| matches!(error, WriteError::Cancelled(_));
    let polls = check(1, cancelled, |job| {
        let outcome = ArtifactWriter::create(root.path(), &plan, false).unwrap();
        let CreateOutcome::Fresh(mut writer) = outcome else { panic!("nothing is there") };
        writer.write_buckets(Street::Turn, &table, 169, job)
    });
    assert_eq!(polls, 6);
    assert_eq!(root.path().read_dir().unwrap().count(), 0);
}
