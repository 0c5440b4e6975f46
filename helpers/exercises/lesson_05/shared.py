"""What several exercises of lesson 05 use: a section to reread."""

LEAK = "05: The leak test"
