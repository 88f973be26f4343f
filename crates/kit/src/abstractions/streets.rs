//! A value for each of some streets.

use lethe_cards::Street;
use serde::ser::{Serialize, SerializeMap, Serializer};

/// Values by street, in order; as JSON an object keyed by street.
///
/// ```
/// use lethe_cards::Street;
/// use lethe_kit::abstractions::Streets;
///
/// let buckets: Streets<u32> = [(Street::Flop, 500), (Street::River, 200)].into_iter().collect();
/// assert_eq!(serde_json::to_string(&buckets)?, r#"{"flop":500,"river":200}"#);
/// assert_eq!(buckets.get(Street::Turn), None);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Streets<T>(Vec<(Street, T)>);

impl<T> Streets<T> {
    /// A value for each of these streets.
    pub fn try_of<E>(
        streets: &[Street],
        value: impl FnMut(Street) -> Result<T, E>,
    ) -> Result<Streets<T>, E> {
        let values = streets.iter().copied().map(value).collect::<Result<Vec<T>, E>>()?;
        Ok(streets.iter().copied().zip(values).collect())
    }

    /// The value of a street.
    pub fn get(&self, street: Street) -> Option<&T> {
        self.0.iter().find(|(own, _)| *own == street).map(|(_, value)| value)
    }

    /// The values with their streets.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Street, &T)> {
        self.0.iter().map(|(street, value)| (*street, value))
    }

    /// The values.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &T> {
        self.0.iter().map(|(_, value)| value)
    }
}

impl<T> FromIterator<(Street, T)> for Streets<T> {
    fn from_iter<I: IntoIterator<Item = (Street, T)>>(values: I) -> Streets<T> {
        Streets(values.into_iter().collect())
    }
}

impl<T: Serialize> Serialize for Streets<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (street, value) in &self.0 {
            map.serialize_entry(street.name(), value)?;
        }
        map.end()
    }
}
