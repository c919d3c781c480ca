"""Keeping an index true: what changed is found, listed again and laid over the epoch."""
