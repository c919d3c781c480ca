"""The terminal itself: the first frame, the driver, programs in the foreground, and safe text."""
