"""Commands behind walls: what they may see, which sandbox holds them, and how they end."""
