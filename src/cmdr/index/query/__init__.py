"""Answering questions: filters, names, pages and their order."""
