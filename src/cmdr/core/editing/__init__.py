"""cmdr as an editor: open documents, reviews of proposed edits, diagnostics."""
