"""REST: routes to commands, their results as JSON with links, and the OpenAPI document of both."""
