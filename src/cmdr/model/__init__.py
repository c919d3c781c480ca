"""What exists: pure data and pure functions, standard library only."""
