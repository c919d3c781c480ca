"""The browser face: REST and pages."""
