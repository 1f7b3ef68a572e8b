//! Settings: what `config/pharos.toml`, a file and the environment say together.
