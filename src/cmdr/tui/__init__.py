"""The terminal face: the application and its main screen; everything shown on them is in the folders."""
