"""Commands that make cmdr an editor: reviews of edits, diagnostics, documents, texts."""
