"""The link graph in memory: arrays, walks, ranks and clusters."""
