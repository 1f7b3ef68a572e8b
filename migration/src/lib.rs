//! Schema migrations: frozen history, importing nothing of the program.
