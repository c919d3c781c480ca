"""The editor socket that Claude Code speaks."""
