"""The commander's page in a real browser: one Chromium for all tests here, a fresh context for each."""
