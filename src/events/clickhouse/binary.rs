//! Values in ClickHouse's format `RowBinary`.

/// A value of a column that may be null.
pub(super) fn optional<const N: usize>(out: &mut Vec<u8>, value: Option<[u8; N]>) {
    match value {
        None => out.push(1),
        Some(bytes) => {
            out.push(0);
            out.extend_from_slice(&bytes);
        }
    }
}

/// A text that may be null.
pub(super) fn text(out: &mut Vec<u8>, value: Option<&str>) {
    match value {
        None => out.push(1),
        Some(text) => {
            out.push(0);
            length(out, text.len());
            out.extend_from_slice(text.as_bytes());
        }
    }
}

/// Seven bits a byte, lowest first.
fn length(out: &mut Vec<u8>, mut length: usize) {
    while length >= 0x80 {
        out.push((length as u8) | 0x80);
        length >>= 7;
    }
    out.push(length as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_have_seven_bits_a_byte() {
        for (number, wanted) in [
            (0, &[0][..]),
            (127, &[127]),
            (128, &[0x80, 1]),
            (300, &[0xAC, 2]),
        ] {
            let mut out = Vec::new();
            length(&mut out, number);
            assert_eq!(out, wanted, "{number}");
        }
    }
}
