"""Looks into files: text, images and lists of archives, searched and decoded apart from this process."""
