"""One process answers for all: how the others find it, and what they say to it."""
