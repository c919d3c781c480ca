"""The flow of a change that a person asked for: one state machine that terminal, page and shell draw."""
