"""Past one machine: exports as Parquet, and many of them asked as one."""
