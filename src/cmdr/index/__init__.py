"""Big trees: walk, store, query, reports and sets."""
