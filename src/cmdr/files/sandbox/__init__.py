"""Where agents may go: paths resolved below the roots, or refused."""
