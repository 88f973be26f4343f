//! Information-set keys: packing, order and text.

use lethe_cards::Street;
use lethe_game::{InfoKey, KeyError};
use proptest::prelude::*;

#[test]
fn parts_that_do_not_fit_are_refused() {
    assert_eq!(InfoKey::new(Street::Flop, 1 << 20, 0), Err(KeyError::Bucket(1 << 20)));
    assert_eq!(InfoKey::new(Street::Flop, 0, 1 << 42), Err(KeyError::Node(1 << 42)));
    let largest = InfoKey::new(Street::River, (1 << 20) - 1, (1 << 42) - 1).unwrap();
    assert_eq!(largest.to_bits(), u64::MAX);
}

#[test]
fn only_sixteen_hex_digits_are_a_key() {
    for text in ["", "c007cc000000303", "c007cc00000030390", "+007cc0000003039", "zzzzzzzzzzzzzzzz"]
    {
        assert_eq!(text.parse::<InfoKey>(), Err(KeyError::Text(text.to_owned())));
    }
    assert!("C007CC0000003039".parse::<InfoKey>().is_ok());
}

proptest! {
    #[test]
    fn keys_unpack_to_what_was_packed(s in 0usize..4, bucket in 0u32..1 << 20, node in 0u64..1 << 42) {
        let key = InfoKey::new(Street::ALL[s], bucket, node).unwrap();
        prop_assert_eq!((key.street(), key.bucket(), key.node()), (Street::ALL[s], bucket, node));
        prop_assert_eq!(key.to_string().parse::<InfoKey>().unwrap(), key);
        prop_assert_eq!(InfoKey::from_bits(key.to_bits()), key);
    }

    #[test]
    fn keys_order_by_street_bucket_node(a: u64, b: u64) {
        let (a, b) = (InfoKey::from_bits(a), InfoKey::from_bits(b));
        let parts = |k: InfoKey| (k.street(), k.bucket(), k.node());
        prop_assert_eq!(a.cmp(&b), parts(a).cmp(&parts(b)));
    }
}
