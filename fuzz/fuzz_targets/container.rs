//! The layout of binary files, as it is and with right checksums.
#![no_main]

use std::fs;

use lethe_compute::Job;
use lethe_files::{Container, Fault, MappedFile};
use lethe_fuzz::{Form, Parts, refused, scratch, write_container};
use libfuzzer_sys::fuzz_target;

const MAGIC: &[u8; 8] = b"LETHEFUZ";

fuzz_target!(|input: &[u8]| {
    let Some(parts) = Parts::of(input) else { return };
    let path = scratch().join("container");
    match parts.form {
        Form::Raw => {
            fs::write(&path, parts.text).expect("scratch");
            if let Ok(container) = open(&path) {
                look(&container);
            }
        }
        // What is written reads back the same.
        Form::First | Form::Current => {
            write_container(&path, MAGIC, 2, parts.text, parts.changes);
            let container = open(&path).expect("a whole container");
            assert!(container.header().starts_with(parts.text));
            let data = container.data().verify::<u8>(Job::default());
            assert_eq!(data.ok(), Some(parts.changes));
        }
        // Any change of a byte is found, or nothing was changed.
        Form::Other => {
            write_container(&path, MAGIC, 2, b"{}", &[7; 100]);
            let before = fs::read(&path).expect("scratch");
            let after = lethe_fuzz::changed(&before, parts.text);
            fs::write(&path, &after).expect("scratch");
            let whole = open(&path).is_ok_and(|container| look(&container));
            assert_eq!(whole, before == after);
        }
    }
});

fn open(path: &std::path::Path) -> Result<Container, Fault> {
    let file = MappedFile::open(path).expect("scratch");
    let container = Container::open(file, MAGIC, 2);
    if let Err(fault) = &container {
        refused(fault);
    }
    container
}

/// Reads the data in every way; false if it is damaged.
fn look(container: &Container) -> bool {
    let data = container.data();
    let words = data.len() / 4;
    let first = (words > 0).then(|| data.number::<u32>(0).is_ok());
    let half = data.slice::<u16>(0..words).is_ok();
    let all = data.all::<u8>().is_ok();
    assert!(!all || half && first != Some(false));
    assert_eq!(data.verify::<u8>(Job::default()).is_ok(), all);
    all
}
