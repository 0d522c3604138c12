"""Requests about one game: moves, opinions, reviews, searches, puzzles and files."""
