"""The viewer, the editor and the quick view."""
