//! Bytes from hexadecimal text.

/// Pairs of digits; blanks, line ends and offsets (`16:`) are for the eye.
pub(super) fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex
        .split_whitespace()
        .filter(|word| !word.ends_with(':'))
        .flat_map(str::bytes)
        .collect();
    let pair = |pair: &[u8]| {
        let text = std::str::from_utf8(pair).expect("ASCII");
        u8::from_str_radix(text, 16).expect("two hexadecimal digits")
    };
    digits.chunks(2).map(pair).collect()
}

/// Words of four bytes for failure messages.
pub(super) fn hex(bytes: &[u8]) -> String {
    let words: Vec<String> = bytes
        .chunks(4)
        .map(|word| word.iter().map(|byte| format!("{byte:02x}")).collect())
        .collect();
    words.join(" ")
}
