//! Many questions at once.

/// p values as they stand when all questions are asked together, so that one false alarm in all
/// of them is as rare as asked (S. Holm, Scand. J. Statist. 6, 1979). In the order given.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|a, b| p_values[*a].total_cmp(&p_values[*b]));
    let mut adjusted = vec![1.0; p_values.len()];
    let mut largest: f64 = 0.0;
    for (rank, index) in order.into_iter().enumerate() {
        let questions_left = (p_values.len() - rank) as f64;
        largest = largest.max(p_values[index] * questions_left).min(1.0);
        adjusted[index] = largest;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_r_does_it() {
        // R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm")
        assert_eq!(holm(&[0.01, 0.04, 0.03, 0.005]), [0.03, 0.06, 0.06, 0.02]);
        assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0]);
        assert_eq!(holm(&[]), Vec::<f64>::new());
    }
}
