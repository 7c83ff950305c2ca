"""The daemon: one process per vault that holds the models, indexes and watches.

Of all long-running processes of a vault (`mcp`, `serve`, `watch`) one is its daemon.
The others, and commands such as `search`, are its clients.
"""
