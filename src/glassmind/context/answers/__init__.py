"""Answers to questions: by a model that writes, or in the notes' own words."""
