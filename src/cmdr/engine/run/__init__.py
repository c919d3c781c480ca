"""Running plans: executor, progress and results, resume, undo and crash recovery."""
