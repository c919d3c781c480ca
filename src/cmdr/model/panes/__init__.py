"""What the two panes hold: listings, order, selection, tabs, dialogs."""
