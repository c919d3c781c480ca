"""The agent face: MCP in both protocol eras."""
