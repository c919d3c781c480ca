"""Themes and everything else that decides how lines are drawn."""
