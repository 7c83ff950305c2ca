"""Models: what each one is, where its files come from, and running them."""
