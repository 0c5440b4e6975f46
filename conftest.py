"""Makes every pytest run strict about notebooks, whichever files it is given."""

pytest_plugins = ["strict_notebooks"]
