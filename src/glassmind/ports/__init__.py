"""The shapes that stages ask for and adapters have; `wiring` joins the two."""
