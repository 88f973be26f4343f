//! What each command prints, against the files in `tests/cmd`.
//!
//! `TRYCMD=overwrite cargo test -p lethe --test golden` writes the files.

#[test]
fn commands_print_what_the_golden_files_say() {
    trycmd::TestCases::new().env("LETHE_DATA", "data").case("tests/cmd/*.trycmd");
}
