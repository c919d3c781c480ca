"""The operation engine: plans, and the one way in which a plan changes files."""
