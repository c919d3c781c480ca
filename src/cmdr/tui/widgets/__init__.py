"""Widgets that windows, panes and viewers share."""
