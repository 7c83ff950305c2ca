"""What follows from the links, and from what notes have in common."""
