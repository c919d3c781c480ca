"""Runs programs in a sandbox: what they may see, which sandbox of the system holds them, and how they end."""
