"""What `cmdr VERB` does, one module a verb or a few that belong together."""
