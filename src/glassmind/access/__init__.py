"""Who may read or write what."""
