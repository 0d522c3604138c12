"""Foundations of all rooms: parameters, compiled kernels, files."""
