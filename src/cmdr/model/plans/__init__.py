"""Plans: every change an operation would make, and how a person is told of it."""
