"""A two-pane file commander that a person and their AI agents share."""

__version__ = "0.1.0"
