"""Reports of results: tables, plots and heat maps."""
