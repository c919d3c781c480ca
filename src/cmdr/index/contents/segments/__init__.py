"""The index of contents: which files can hold a text, kept in segments beside the index of names."""
