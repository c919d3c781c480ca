"""Before every route and socket: who is calling, and how much may come in at once."""
