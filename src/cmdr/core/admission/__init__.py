"""Admission: how often and how many at once, in one table of limits, for the HTTP server and the dispatcher alike."""
