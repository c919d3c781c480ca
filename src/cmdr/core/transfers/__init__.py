"""Contents on their way out of cmdr and into it."""
