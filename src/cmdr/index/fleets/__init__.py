"""Past one machine: exports as Parquet, and queries over many of them."""
