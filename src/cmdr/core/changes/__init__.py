"""Changes to files: proposed, decided, run as jobs, written into the journal, taken back."""
