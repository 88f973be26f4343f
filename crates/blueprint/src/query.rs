//! Queries of a blueprint beside frequencies: who reaches a node, and all its decisions in order.

use lethe_cards::{Board, Hole, Street};
use lethe_game::{Action, InfoKey, KeyError, NodeId, NodeKind, Player};

use crate::blueprint::{Blueprint, BlueprintError};
use crate::train::{AVERAGE_UNIT, average_units};

impl Blueprint {
    /// How often a player with a hole takes the actions that lead to a node, whatever the opponent
    /// does: the product of the frequencies of its own actions.
    ///
    /// The board may be longer than the node's street needs. `None` if it is shorter or contains a
    /// card of the hole.
    ///
    /// # Errors
    /// If a part of a file that it reads is damaged.
    pub fn reach(
        &self,
        player: Player,
        node: NodeId,
        hole: Hole,
        board: &Board,
    ) -> Result<Option<f64>, BlueprintError> {
        let tree = self.tree();
        let mut buckets = [None; 4];
        let mut reach = 1.0;
        let mut at = node;
        // The node's own street counts, even where the player has not acted on it yet.
        if self.bucket_on(tree.node(node).street(), hole, board, &mut buckets)?.is_none() {
            return Ok(None);
        }
        while let Some(parent) = tree.parent(at) {
            if tree.node(parent).player() == Some(player) {
                let street = tree.node(parent).street();
                let bucket = self.bucket_on(street, hole, board, &mut buckets)?;
                let place = tree.children(parent).iter().position(|&child| child == at);
                let Some((bucket, place)) = bucket.zip(place) else { return Ok(None) };
                let Some(shares) = self.bucket_frequencies(parent, bucket)? else {
                    return Ok(None);
                };
                reach *= shares[place];
            }
            at = parent;
        }
        Ok(Some(reach))
    }

    fn bucket_on(
        &self,
        street: Street,
        hole: Hole,
        board: &Board,
        known: &mut [Option<u32>; 4],
    ) -> Result<Option<u32>, BlueprintError> {
        let known = &mut known[street.index()];
        if known.is_none()
            && let Some(board) = board.cards().get(..street.board_len()).and_then(Board::new)
        {
            *known = self.bucket(hole, &board)?;
        }
        Ok(*known)
    }

    /// How often an information set was reached in training: the hands dealt there, each weighted by
    /// how often its player plays to it, discounted as the average strategy is. If it is 0, the
    /// frequencies are equal because nothing is known. `None` if there is no such set.
    ///
    /// # Errors
    /// If the part of the checkpoint that holds it is damaged.
    pub fn weight(&self, node: NodeId, bucket: u32) -> Result<Option<f64>, BlueprintError> {
        let Some(cells) = self.plan().cells_of(node, bucket) else { return Ok(None) };
        let sum: f64 = self.checkpoint().averages(cells)?.iter().map(|&x| f64::from(x)).sum();
        let header = self.checkpoint().header();
        // The first trainer discounted averages instead of weighing what was added.
        let unit = match header.trainer {
            1 => AVERAGE_UNIT,
            _ => {
                let street = self.tree().node(node).street();
                average_units(&header.config.training, &header.reached)[street.index()]
            }
        };
        Ok(Some(sum / f64::from(unit)))
    }

    /// A node's decision; `None` if nobody acts there.
    pub fn decision(&self, node: NodeId) -> Option<Decision<'_>> {
        let NodeKind::Decision(player) = self.tree().node(node).kind() else { return None };
        Some(Decision { blueprint: self, node, player })
    }

    /// The decisions at and below a node, in the order of their numbers.
    pub fn decisions(&self, below: NodeId) -> impl Iterator<Item = Decision<'_>> {
        let numbers = self.tree().subtree(below);
        numbers.filter_map(|number| self.decision(NodeId::new(number as u32)))
    }
}

/// A decision of a blueprint: a betting node with the information sets of all its buckets.
#[derive(Clone, Copy, Debug)]
pub struct Decision<'a> {
    blueprint: &'a Blueprint,
    node: NodeId,
    player: Player,
}

impl<'a> Decision<'a> {
    /// The node.
    pub fn node(&self) -> NodeId {
        self.node
    }

    /// The player who acts.
    pub fn player(&self) -> Player {
        self.player
    }

    /// The street.
    pub fn street(&self) -> Street {
        self.blueprint.tree().node(self.node).street()
    }

    /// The line that leads here.
    pub fn history(&self) -> String {
        self.blueprint.tree().history(self.node)
    }

    /// The actions.
    pub fn actions(&self) -> &'a [Action] {
        self.blueprint.tree().actions(self.node)
    }

    /// The number of buckets.
    pub fn buckets(&self) -> u32 {
        self.blueprint.plan().buckets(self.street()) as u32
    }

    /// The key of a bucket's information set; an error if the bucket is too large for a key.
    pub fn key(&self, bucket: u32) -> Result<InfoKey, KeyError> {
        InfoKey::new(self.street(), bucket, self.node.number())
    }

    /// The frequencies of the actions for a bucket; `None` if there is no such bucket.
    ///
    /// # Errors
    /// If the part of the checkpoint that holds them is damaged.
    pub fn frequencies(&self, bucket: u32) -> Result<Option<Vec<f64>>, BlueprintError> {
        self.blueprint.bucket_frequencies(self.node, bucket)
    }

    /// How often a bucket's information set was reached in training; `None` if there is no such
    /// bucket.
    ///
    /// # Errors
    /// If the part of the checkpoint that holds it is damaged.
    pub fn weight(&self, bucket: u32) -> Result<Option<f64>, BlueprintError> {
        self.blueprint.weight(self.node, bucket)
    }
}
