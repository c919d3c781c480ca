"""What is kept for its owner: sets, saved queries, and the handles they are known by."""
