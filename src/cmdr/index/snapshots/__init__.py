"""Snapshots: the columns of a tree at one moment, written once and checked; each has a number, its epoch."""
