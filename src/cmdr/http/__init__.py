"""The HTTP server that web, mcp and ide mount on: authentication, admission, request limits and connections."""
