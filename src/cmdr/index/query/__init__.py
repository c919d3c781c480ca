"""Answering queries: filters, names, pages and their order."""
