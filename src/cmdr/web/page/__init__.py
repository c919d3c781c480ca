"""The commander in the browser: what its page is told, and what it may order."""
