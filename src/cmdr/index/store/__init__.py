"""What is stored for its owner: the catalogue, sets, saved queries, and the handles they are known by."""
