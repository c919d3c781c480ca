"""The panes on the disk: reading, watching and navigating folders, and what a person keeps of them."""
