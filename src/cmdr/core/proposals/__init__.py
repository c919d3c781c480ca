"""What waits for the person: proposals, kept over a restart, and the inbox that lists everything."""
