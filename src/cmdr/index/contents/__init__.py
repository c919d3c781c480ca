"""Searching what is in files: the scan of files, and the index that says which files can match at all."""
