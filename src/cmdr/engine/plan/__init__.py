"""Planners: what an operation would change, found out without touching anything."""
