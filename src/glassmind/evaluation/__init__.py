"""Measuring search and choosing its settings: gold sets, metrics, tuning."""
