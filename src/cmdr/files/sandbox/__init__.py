"""The sandbox for paths: what agents name is resolved below their roots, or refused."""
