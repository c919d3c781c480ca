"""Windows over the panes: each asks, shows or lists one thing."""
