"""What indexes know of big trees, as plain data: nodes, indexes, sets, saved queries and reports."""
