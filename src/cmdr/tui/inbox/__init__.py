"""What waits for the person, in the terminal."""
