"""Walking a tree: several processes that read directories and write down what they saw."""
