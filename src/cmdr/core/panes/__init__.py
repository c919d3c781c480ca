"""The panes on the disk: reading, watching, going and coming back."""
