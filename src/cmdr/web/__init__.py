"""The browser face: REST for programs, readable pages for a person."""
