"""The toolsets, a module each; none of them imports the protocol's own package."""
