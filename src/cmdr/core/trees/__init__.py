"""Indexes as the rest of the program sees them: scans, sizes, and whose sets and queries are whose."""
