"""What can be done: one noun per module, one small function per command."""
