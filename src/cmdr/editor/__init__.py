"""Text: buffers, diff review, diagnostics, kernels and the Neovim bridge."""
