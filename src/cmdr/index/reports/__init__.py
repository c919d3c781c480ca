"""Reports: what is large, old, equal, or has grown."""
