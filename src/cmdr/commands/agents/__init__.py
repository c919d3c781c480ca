"""Commands for agents' direct work (files, shell), and what agents may do."""
