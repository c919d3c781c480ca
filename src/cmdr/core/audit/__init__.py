"""The audit log: a chain of records of every call, its anchor, and what is wrong with it."""
