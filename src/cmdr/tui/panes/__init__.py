"""The two panes, the status line and the key bar, drawn line by line."""
