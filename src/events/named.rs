//! Enums whose variants have names in settings, rows and answers.

/// Declares such an enum, with `ALL` of its variants in their order and `as_str`.
macro_rules! named {
    ($(#[$meta:meta])* pub enum $type:ident { $($(#[$of:meta])* $variant:ident = $name:literal,)* }) => {
        $(#[$meta])*
        pub enum $type {
            $($(#[$of])* $variant,)*
        }

        impl $type {
            /// Every variant, in its order.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$variant),*];

            /// The variant's name.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }
    };
}
pub(crate) use named;
