//! How evenly a quantity is shared.

/// Jain's fairness index, (Σx)² / (n Σx²): 1 when all shares are alike, 1/n when one has it all
/// (R. Jain, D. Chiu, W. Hawe, DEC-TR-301, 1984). None without shares, when nothing was shared, or
/// when a share is negative or not finite.
pub fn jain(shares: &[f64]) -> Option<f64> {
    let sound = shares.iter().all(|x| x.is_finite() && *x >= 0.0);
    // Shares relative to the largest: squares can then neither overflow nor vanish.
    let largest = shares.iter().copied().fold(0.0, f64::max);
    (sound && largest > 0.0).then(|| {
        let sum: f64 = shares.iter().map(|x| x / largest).sum();
        let squares: f64 = shares.iter().map(|x| (x / largest).powi(2)).sum();
        sum * sum / (shares.len() as f64 * squares)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn known_shares() {
        assert_eq!(jain(&[5.0, 5.0, 5.0]), Some(1.0));
        assert_eq!(jain(&[1.0, 0.0, 0.0, 0.0]), Some(0.25));
        assert_eq!(jain(&[2.0, 4.0]), Some(0.9));
    }

    #[test]
    fn nothing_shared_has_no_index() {
        assert_eq!(jain(&[]), None);
        assert_eq!(jain(&[0.0, 0.0]), None);
        assert_eq!(jain(&[1.0, f64::NAN]), None);
        assert_eq!(jain(&[1.0, -1.0]), None);
    }

    proptest! {
        #[test]
        fn between_one_nth_and_one(shares in prop::collection::vec(0.0..1e300, 1..50)) {
            if let Some(index) = jain(&shares) {
                prop_assert!(index <= 1.0 + 1e-9);
                prop_assert!(index >= 1.0 / shares.len() as f64 - 1e-9);
            }
        }
    }
}
