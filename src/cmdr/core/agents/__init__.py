"""What agents may do and are doing: tokens, grants, folders, commands and code behind walls."""
