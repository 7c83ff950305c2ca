"""What agents and people leave in the agent folder, and how warm notes are."""
