"""Changes to files as the person sees them: confirmed, followed, listed and undone."""
