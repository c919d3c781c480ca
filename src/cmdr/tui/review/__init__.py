"""Reviewing proposed edits in the terminal."""
