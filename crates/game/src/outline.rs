//! `Outline`: a tree as indented text.

use std::fmt;

use crate::{NodeKind, Tree};

impl Tree {
    /// The tree as indented text, one node per line, down to `depth` edges below the root.
    pub fn outline(&self, depth: usize) -> Outline<'_> {
        Outline { tree: self, depth }
    }
}

/// Displays a [`Tree`]: the action, the node's number in brackets and what happens there.
///
/// ```text
/// [0] river oop, pot 100
///   check [1] river ip, pot 100
///     check [2] showdown, pot 100
///   allin 50 [3] river ip, pot 150
///     fold [4] oop wins 100
///     call [5] showdown, pot 200
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Outline<'a> {
    tree: &'a Tree,
    depth: usize,
}

impl fmt::Display for Outline<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tree = self.tree;
        // The ends of the subtrees that hold the present node.
        let mut above: Vec<usize> = Vec::new();
        for id in tree.ids() {
            while above.last().is_some_and(|&end| end <= id.index()) {
                above.pop();
            }
            let depth = above.len();
            above.push(tree.subtree(id).end);
            if depth > self.depth {
                continue;
            }
            write!(f, "{:indent$}", "", indent = 2 * depth)?;
            match tree.last_action(id) {
                Some(action) => write!(f, "{action} ")?,
                None if depth > 0 => write!(f, "deal ")?,
                None => {}
            }
            let node = tree.node(id);
            let (number, street, pot) = (id.number(), node.street(), tree.pot(id));
            match node.kind() {
                NodeKind::Decision(player) => {
                    writeln!(f, "[{number}] {street} {player}, pot {pot}")?
                }
                NodeKind::Chance => writeln!(f, "[{number}] {street} ends, pot {pot}")?,
                NodeKind::Showdown => writeln!(f, "[{number}] showdown, pot {pot}")?,
                NodeKind::Fold(player) => {
                    let pot = tree.outcome(id).map_or(pot, |outcome| outcome.pot);
                    writeln!(f, "[{number}] {} wins {pot}", player.opponent())?;
                }
            }
        }
        Ok(())
    }
}
