"""The journal: what every operation meant to do and did, kept in one SQLite file."""
