"""How people and programs reach the engine: parse, one engine call, render."""
