"""The disk: scanning, stat, volumes, watching, and every change to files."""
