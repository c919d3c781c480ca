"""The agent face: MCP in both protocol eras."""

from cmdr.mcp.sdk_parts import load_parts_only

load_parts_only()
