"""What is wrong in a file: built-in syntax checks, and the language servers that are installed."""
