//! Enums that are texts in storage and on the wire.

/// Gives enums with strum's `IntoStaticStr` and `EnumString` their two conversions.
macro_rules! text_enums {
    ($($name:ident),+) => {$(
        impl $name {
            /// As it is stored and written on the wire.
            pub const fn as_str(self) -> &'static str {
                self.into_str()
            }

            pub fn parse(text: &str) -> Option<Self> {
                text.parse().ok()
            }
        }
    )+};
}

pub(super) use text_enums;
