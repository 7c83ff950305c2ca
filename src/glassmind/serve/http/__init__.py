"""HTTP: a guarded door, one table of routes, and the engine behind them."""
