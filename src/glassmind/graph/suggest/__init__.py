"""Links that are missing, with the edits that would write them."""
