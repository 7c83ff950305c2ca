"""What is to be mended in a vault, what to do about it, and how well it is in all."""
