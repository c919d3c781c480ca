"""Scanning a tree: worker processes read directories into part files, which become a snapshot."""
