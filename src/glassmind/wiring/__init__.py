"""What the domain is handed for a vault, put together."""
