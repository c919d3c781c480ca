"""The engine: plans, the steps they are made of, the one way in which they change files, and the journal."""
