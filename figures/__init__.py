"""The book's data and figures: results in, numbers, tables and SVG out."""
