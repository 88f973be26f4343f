//! The signature is one of the results, not of the threads.

use lethe_compute::{Job, Pool};
use lethe_kit::signature::Signature;

#[test]
fn every_number_of_threads_gives_the_same_signature() {
    let pools = [1, 2, 3].map(|threads| Pool::new(threads).unwrap());
    let [one, two, three] =
        pools.each_ref().map(|pool| Signature::compute(Job::new(pool)).unwrap());
    assert_eq!(one, two);
    assert_eq!(one, three);
}
