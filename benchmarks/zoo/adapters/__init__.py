"""One adapter for each tool: how it spells what the programs call, and how it differentiates."""
