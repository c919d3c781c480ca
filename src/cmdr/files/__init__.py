"""The disk: listing, stat, volumes, watching, viewing, archives, and the sandboxes for paths and for programs."""
