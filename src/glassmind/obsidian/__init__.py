"""The Obsidian format as pure functions: text in, values out, and byte-exact edits."""
