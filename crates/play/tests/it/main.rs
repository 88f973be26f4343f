//! Hands as they are played: records, words, histories, sessions and the ACPC protocol.

mod acpc;
mod dealer;
mod history;
mod oracle;
mod record;
mod session;
mod small;
mod words;
