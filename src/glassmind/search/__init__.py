"""From a query to hits that explain themselves."""
