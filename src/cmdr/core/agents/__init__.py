"""What agents may do and are doing: tokens, grants, roots, trusted folders, and commands and code in a sandbox."""
