"""Filters: what to look for in a tree, in their JSON and one-line forms."""
