"""Working with text: diagnostics, Jupyter kernels, and Neovim."""
