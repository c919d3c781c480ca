"""A running Neovim as the editor: diffs, files, selection and diagnostics shown and read there."""
