"""Edits of one text: each says which bytes change, and all others stay."""
