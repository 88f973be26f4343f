//! YAML text to entries: every key known, every value of the right kind and within its bounds.
//!
//! The parser gives a tree in which keys and values have places. Walking it with the table of keys
//! at hand, rather than deriving a structure, lets every complaint name the whole key.

use std::fmt;
use std::sync::Arc;

use lethe_cards::Street;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_saphyr::Spanned;

use super::super::error::{nearest, not_among, unknown};
use super::super::source::clip;
use super::super::{ConfigError, Source};
use super::keys::{Kind, NAMES, Name, PARTED, Value};
use super::{Entry, Key};

/// A YAML value, its parts with their places.
enum Node {
    Nothing,
    Bool(bool),
    Whole(i128),
    Fraction(f64),
    Text(String),
    List,
    Map(Vec<(Spanned<String>, Spanned<Node>)>),
}

/// The entries of a file.
pub(super) fn document(source: &Arc<Source>) -> Result<Vec<Entry>, ConfigError> {
    let root: Spanned<Node> = source.parse()?;
    let pairs = match root.value {
        Node::Nothing => Vec::new(),
        Node::Map(pairs) => pairs,
        other => {
            let found = other.describe();
            let message =
                format!("{found}; expected a `key: value` on each line, such as `buckets: 500`");
            return Err(ConfigError::at(source.at(Some(root.referenced)), message));
        }
    };
    let mut entries = Vec::new();
    let mut buckets: Option<&Name> = None;
    for (key, value) in &pairs {
        let at_key = |message| ConfigError::at(source.at(Some(key.referenced)), message);
        if key.value == PARTED {
            read_parts(source, value, &mut entries)?;
            continue;
        }
        let name = find(&key.value).map_err(at_key)?;
        if name.key == Key::Buckets {
            let other = *buckets.get_or_insert(name);
            if other.street.is_some() != name.street.is_some() {
                return Err(at_key(format!(
                    "{}: bucket counts are already given by {}; use either `buckets` or \
                     `num_..._buckets`",
                    name.text, other.text
                )));
            }
        }
        read(source, name, value, &mut entries)?;
    }
    Ok(entries)
}

/// The entries of an override, `key=value` or `key.street=value`.
pub(super) fn assignment(source: &Arc<Source>) -> Result<Vec<Entry>, ConfigError> {
    let (path, place, value) = source.assigned()?;
    let at_key = |message| ConfigError::at(place.clone(), message);
    let mut entries = Vec::new();
    if path == PARTED {
        read_parts(source, &source.parse_text(&value)?, &mut entries)?;
        return Ok(entries);
    }
    let whole = NAMES.iter().any(|name| name.text == path);
    let parts = path.rsplit_once('.').filter(|_| !whole);
    let (key, street) = parts.map_or((path, None), |(key, street)| (key, Some(street)));
    if key == PARTED {
        return Err(at_key(unknown("key", path, &NAMES.map(|name| name.text))));
    }
    let name = find(key).map_err(at_key)?;
    let value = source.parse_text(&value)?;
    match street {
        None => read(source, name, &value, &mut entries)?,
        Some(street) if name.by_street => {
            let street = find_street(name, street).map_err(at_key)?;
            entries.push(entry(source, name, Some(street), &value)?);
        }
        Some(_) => {
            let known = NAMES.map(|name| name.text);
            return Err(at_key(not_among("key", &clip(path), &known, Some(name.text))));
        }
    }
    Ok(entries)
}

/// What a key's value says: itself, or one entry for each street.
fn read(
    source: &Arc<Source>,
    name: &Name,
    value: &Spanned<Node>,
    entries: &mut Vec<Entry>,
) -> Result<(), ConfigError> {
    match &value.value {
        Node::Map(pairs) if name.by_street => {
            for (street, value) in pairs {
                let found = find_street(name, &street.value);
                let found = found.map_err(|message| {
                    ConfigError::at(source.at(Some(street.referenced)), message)
                })?;
                entries.push(entry(source, name, Some(found), value)?);
            }
        }
        _ => entries.push(entry(source, name, name.street, value)?),
    }
    Ok(())
}

/// The entries of a value whose parts have names of their own.
fn read_parts(
    source: &Arc<Source>,
    value: &Spanned<Node>,
    entries: &mut Vec<Entry>,
) -> Result<(), ConfigError> {
    let Node::Map(pairs) = &value.value else {
        let found = value.value.describe();
        let message = format!("{PARTED}: {found}; expected {{table: NAME, count: N}}");
        return Err(ConfigError::at(source.at(Some(value.referenced)), message));
    };
    for (key, value) in pairs {
        let path = format!("{PARTED}.{}", key.value);
        let known = || -> Vec<&str> {
            let texts = NAMES.iter().map(|name| name.text);
            texts.filter(|text| text.starts_with(PARTED)).collect()
        };
        let name = NAMES.iter().find(|name| name.text == path);
        let name = name.ok_or_else(|| {
            let message = unknown("key", &path, &known());
            ConfigError::at(source.at(Some(key.referenced)), message)
        })?;
        read(source, name, value, entries)?;
    }
    Ok(())
}

/// One value of a key, checked.
fn entry(
    source: &Arc<Source>,
    name: &Name,
    street: Option<Street>,
    value: &Spanned<Node>,
) -> Result<Entry, ConfigError> {
    let place = source.at(Some(value.referenced));
    let key = match street {
        Some(street) if name.street.is_none() => format!("{}.{street}", name.text),
        _ => name.text.to_owned(),
    };
    let kind = name.key.kind(street);
    match accept(kind, &value.value, &key, name.by_street && street.is_none()) {
        Ok(value) => Ok(Entry { key: name.key, street, value, name: key, place }),
        Err(message) => Err(ConfigError::at(place, message)),
    }
}

/// The value of a key of this kind, which may take one `by_street`; an error if it is not one.
fn accept(kind: Kind, value: &Node, key: &str, by_street: bool) -> Result<Value, String> {
    match (kind, value) {
        (Kind::Whole { low, high, limit }, &Node::Whole(number)) => match u64::try_from(number) {
            Ok(number) if (low..=high).contains(&number) => Ok(Value::Whole(number)),
            _ => {
                let beyond = match number < i128::from(low) {
                    true => format!("below {low}"),
                    false => format!("above {high}, {limit}"),
                };
                Err(format!(
                    "{key}: {number} is {beyond}; expected a whole number from {low} to {high}"
                ))
            }
        },
        (Kind::Words(words), Node::Text(text)) => match words.iter().find(|word| *word == text) {
            Some(word) => Ok(Value::Word(word)),
            None if text == "lossless" && words.contains(&"texture") => Err(format!(
                "{key}: lossless gives every situation its own bucket and stores nothing; the \
                 solver and the lab have it without a build. Use ehs, histogram, ochs, classes or \
                 texture"
            )),
            None => {
                let meant = nearest(text, words.iter().copied());
                Err(not_among("value", &format!("{key}: \"{}\"", clip(text)), words, meant))
            }
        },
        (Kind::Text { .. }, Node::Text(text)) if !text.trim().is_empty() => {
            Ok(Value::Text(text.clone()))
        }
        _ => {
            let streets = if by_street { ", or {flop: ..., turn: ..., river: ...}" } else { "" };
            Err(format!("{key}: {}; expected {}{streets}", value.describe(), kind.expected()))
        }
    }
}

fn find(key: &str) -> Result<&'static Name, String> {
    let found = NAMES.iter().find(|name| name.text == key);
    found.ok_or_else(|| unknown("key", key, &NAMES.map(|name| name.text)))
}

fn find_street(name: &Name, street: &str) -> Result<Street, String> {
    let found = Street::POSTFLOP.into_iter().find(|known| known.name() == street);
    found.ok_or_else(|| {
        let known = Street::POSTFLOP.map(|known| known.name());
        let meant = nearest(street, known.into_iter()).filter(|_| street != "preflop");
        not_among("street", &format!("{}.{}", name.text, clip(street)), &known, meant)
    })
}

impl Node {
    /// What the value is, as a message describes it.
    fn describe(&self) -> String {
        match self {
            Node::Nothing => "there is no value".to_owned(),
            Node::Bool(value) => format!("{value} is a boolean"),
            Node::Whole(number) => format!("{number} is a number"),
            Node::Fraction(number) => format!("{number} is not whole"),
            Node::Text(text) => format!("\"{}\" is text", clip(text)),
            Node::List => "this is a list".to_owned(),
            Node::Map(_) => "this is a mapping".to_owned(),
        }
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Node, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Nothing)
    }

    fn visit_none<E>(self) -> Result<Node, E> {
        Ok(Node::Nothing)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Bool(value))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Node, E> {
        Ok(Node::Whole(number.into()))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Node, E> {
        Ok(Node::Whole(number.into()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Node, E> {
        // `5e2` is 500; what is beyond an i128 is beyond every bound as well.
        let whole = number.is_finite() && number.fract() == 0.0;
        Ok(if whole { Node::Whole(number as i128) } else { Node::Fraction(number) })
    }

    fn visit_str<E>(self, text: &str) -> Result<Node, E> {
        Ok(Node::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Node, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Node::List)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = map.next_entry()? {
            pairs.push(pair);
        }
        Ok(Node::Map(pairs))
    }
}
