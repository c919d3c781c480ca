"""Downloads and uploads: contents on their way out of cmdr and into it."""
