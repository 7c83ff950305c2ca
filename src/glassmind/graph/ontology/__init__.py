"""What a vault calls things: labels, schemas, hubs, hierarchies, spellings."""
