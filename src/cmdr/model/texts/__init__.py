"""Texts: lines, differences, reviews of proposed edits, open documents."""
