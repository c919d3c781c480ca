"""Diagnostics: built-in syntax checks, and the language servers that are installed."""
