"""What changed since the snapshot: found by times or told by the system, listed again, and applied to the view."""
