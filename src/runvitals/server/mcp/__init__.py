"""`runvitals mcp`: runs and their judgement as tools for AI agents (Model Context Protocol)."""
