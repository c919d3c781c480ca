"""Commands that change files: proposing, deciding, jobs, history and undo."""
