"""The book's data and expressions: what was predicted, counted, timed and published, and its look-ups."""
