"""Boards as text and as pictures: names, places of cells, and styles."""
