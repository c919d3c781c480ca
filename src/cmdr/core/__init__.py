"""The rules: registry, principals, policy, approvals, journal, audit and events."""
