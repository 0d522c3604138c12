"""Boards as text and as pictures: what they are called, where their cells are, how they look."""
