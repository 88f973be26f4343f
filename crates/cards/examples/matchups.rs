//! Makes `data/matchups.bin` anew and writes it to the file named on the command line.

use std::thread;

use lethe_cards::Matchups;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args_os().nth(1).ok_or("usage: matchups FILE")?;
    let parts = thread::available_parallelism()?.get();
    let mut sums = thread::scope(|scope| {
        let threads: Vec<_> =
            (0..parts).map(|part| scope.spawn(move || Matchups::compute(part, parts))).collect();
        threads.into_iter().map(|t| t.join().expect("no part panics")).collect::<Vec<_>>()
    });
    let mut whole = sums.pop().ok_or("no part was computed")?;
    sums.iter().for_each(|part| whole.merge(part));
    Ok(std::fs::write(file, whole.finish().to_bytes())?)
}
