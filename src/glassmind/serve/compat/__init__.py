"""Tools and routes of other systems, under their names; see docs/compatibility.md."""
