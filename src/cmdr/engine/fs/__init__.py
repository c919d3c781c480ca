"""The file system as the engine uses it: through open directories, without ever replacing by name."""
