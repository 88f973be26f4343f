//! Histories: the text of the line that leads to a node, and back.

use lethe_cards::Street;

use crate::{Action, NodeId, NodeKind, Tree};

impl Tree {
    /// The line from the root to a node, such as `r250 c / x b300`; empty at the root.
    ///
    /// `f` folds, `x` checks, `c` calls, `b` bets and `r` raises, with the player's total chips on
    /// the street; an all-in is written as the bet or raise it is. `/` is a deal, so a line that
    /// ends in a call names the chance node and one that ends in `/` the decision after it.
    pub fn history(&self, id: NodeId) -> String {
        let mut tokens = Vec::new();
        let mut at = id;
        while let Some(parent) = self.parent(at) {
            tokens.push(match self.last_action(at) {
                Some(action) => self.token(parent, action),
                None => "/".to_owned(),
            });
            at = parent;
        }
        tokens.reverse();
        tokens.join(" ")
    }

    /// The node that a history names; see [`Tree::history`]. Blanks around `/` may be left out,
    /// and `a` is accepted for the all-in.
    pub fn find(&self, history: &str) -> Result<NodeId, HistoryError> {
        let mut at = self.root();
        for (column, token) in tokens(history) {
            let node = self.node(at);
            let place = match node.kind() {
                NodeKind::Chance => (token == "/").then_some(0),
                _ => self.action_named(at, token),
            };
            let Some(place) = place else {
                return Err(HistoryError {
                    token: token.to_owned(),
                    column,
                    options: self.options(at),
                });
            };
            at = self.children(at)[place];
        }
        Ok(at)
    }

    /// The place among a node's actions of the one that a text names: in short (`b50`), in full
    /// (`bet 50`), or `a` for the all-in. Case and blanks do not matter.
    pub fn action_named(&self, at: NodeId, text: &str) -> Option<usize> {
        let name = text.to_ascii_lowercase().replace([' ', '-'], "");
        self.actions(at).iter().position(|&action| {
            name == self.token(at, action)
                || name == action.to_string().replace(' ', "")
                || matches!(action, Action::AllIn(_)) && (name == "a" || name == "allin")
        })
    }

    /// The short text of an action at a node.
    fn token(&self, at: NodeId, action: Action) -> String {
        match action {
            Action::Fold => "f".to_owned(),
            Action::Check => "x".to_owned(),
            Action::Call => "c".to_owned(),
            Action::Bet(amount) => format!("b{amount}"),
            Action::Raise(amount) => format!("r{amount}"),
            Action::AllIn(amount) => {
                let node = self.node(at);
                let [oop, ip] = node.contributed();
                // Equal amounts mean no bet yet, except on the blinds.
                let bets = oop == ip && node.street() != Street::Preflop;
                format!("{}{amount}", if bets { 'b' } else { 'r' })
            }
        }
    }

    fn options(&self, at: NodeId) -> String {
        match self.node(at).kind() {
            NodeKind::Chance => "/ (the next street)".to_owned(),
            NodeKind::Fold(_) | NodeKind::Showdown => "none, the hand is over".to_owned(),
            NodeKind::Decision(_) => {
                let actions = self.actions(at).iter().map(|&action| self.token(at, action));
                actions.collect::<Vec<_>>().join(", ")
            }
        }
    }
}

/// A history that is not in the tree.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{token}' at column {column} is not possible there; possible: {options}")]
pub struct HistoryError {
    /// The token that does not fit.
    pub token: String,
    /// Where it starts, in characters from 1.
    pub column: usize,
    /// What is possible there.
    pub options: String,
}

/// The tokens of a history with their columns: words, and each `/` by itself.
fn tokens(history: &str) -> Vec<(usize, &str)> {
    let mut tokens: Vec<(usize, usize, usize)> = Vec::new();
    let mut in_word = false;
    for (column, (at, c)) in history.char_indices().enumerate() {
        let end = at + c.len_utf8();
        let word = !c.is_whitespace() && c != '/';
        match tokens.last_mut() {
            Some(last) if word && in_word => last.2 = end,
            _ if c.is_whitespace() => {}
            _ => tokens.push((column + 1, at, end)),
        }
        in_word = word;
    }
    tokens.into_iter().map(|(column, start, end)| (column, &history[start..end])).collect()
}
