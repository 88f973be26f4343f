//! Information-set keys: the 64-bit external name of an information set.

use std::fmt;
use std::str::FromStr;

use lethe_cards::Street;

use crate::NodeId;

/// The 64-bit name of an information set: street, bucket and betting node.
///
/// ```text
///  63 62 | 61 ........ 42 | 41 ................ 0
///  street|     bucket     |  betting-node number
/// ```
///
/// * street: 0 preflop, 1 flop, 2 turn, 3 river;
/// * bucket: below 2^20, in the abstraction of that street;
/// * betting-node number: below 2^42, a [`NodeId`] of the tree that the configuration defines (see
///   [`crate::Tree`] for the order). Keys of different configurations do not compare.
///
/// Keys order by street, then bucket, then node. The text form is 16 hexadecimal digits.
///
/// ```
/// use lethe_cards::Street;
/// use lethe_game::InfoKey;
/// let key = InfoKey::new(Street::River, 499, 12_345)?;
/// assert_eq!(key.to_string(), "c007cc0000003039");
/// assert_eq!("c007cc0000003039".parse(), Ok(key));
/// assert_eq!((key.street(), key.bucket(), key.node()), (Street::River, 499, 12_345));
/// # Ok::<(), lethe_game::KeyError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InfoKey {
    bits: u64,
}

impl InfoKey {
    /// The number of bits of the bucket.
    pub const BUCKET_BITS: u32 = 20;
    /// The number of bits of the betting-node number.
    pub const NODE_BITS: u32 = 42;

    /// Packs a key; an error where the bucket or the node number has too many bits.
    pub const fn new(street: Street, bucket: u32, node: u64) -> Result<InfoKey, KeyError> {
        if bucket >> Self::BUCKET_BITS != 0 {
            return Err(KeyError::Bucket(bucket));
        }
        if node >> Self::NODE_BITS != 0 {
            return Err(KeyError::Node(node));
        }
        let street = (street as u64) << (Self::BUCKET_BITS + Self::NODE_BITS);
        Ok(InfoKey { bits: street | (bucket as u64) << Self::NODE_BITS | node })
    }

    /// The key with these bits; every pattern is a key.
    pub const fn from_bits(bits: u64) -> InfoKey {
        InfoKey { bits }
    }

    /// The 64 bits.
    pub const fn to_bits(self) -> u64 {
        self.bits
    }

    /// The street.
    pub const fn street(self) -> Street {
        Street::ALL[(self.bits >> (Self::BUCKET_BITS + Self::NODE_BITS)) as usize]
    }

    /// The bucket.
    pub const fn bucket(self) -> u32 {
        (self.bits >> Self::NODE_BITS) as u32 & ((1 << Self::BUCKET_BITS) - 1)
    }

    /// The betting-node number.
    pub const fn node(self) -> u64 {
        self.bits & ((1 << Self::NODE_BITS) - 1)
    }

    /// The betting node as a node of a [`crate::Tree`]; none where the number exceeds any tree's.
    pub fn node_id(self) -> Option<NodeId> {
        u32::try_from(self.node()).ok().map(NodeId::new)
    }
}

impl fmt::Display for InfoKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.bits)
    }
}

impl FromStr for InfoKey {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<InfoKey, KeyError> {
        let hex = text.len() == 16 && text.bytes().all(|b| b.is_ascii_hexdigit());
        let bits = hex.then(|| u64::from_str_radix(text, 16).ok()).flatten();
        bits.map(InfoKey::from_bits).ok_or_else(|| KeyError::Text(text.to_owned()))
    }
}

/// A key that cannot be packed or read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The bucket needs more than 20 bits.
    #[error(
        "bucket {0} does not fit an information-set key; a street may have at most 1,048,576 buckets"
    )]
    Bucket(u32),
    /// The node number needs more than 42 bits.
    #[error("betting node {0} does not fit the 42 bits of an information-set key")]
    Node(u64),
    /// The text is not 16 hexadecimal digits.
    #[error(
        "'{0}' is not an information-set key; a key is 16 hexadecimal digits such as c007cc0000003039"
    )]
    Text(String),
}
