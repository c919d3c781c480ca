"""Indexes of big trees: scans, snapshots of their columns, what changed since, queries, reports and sets."""
