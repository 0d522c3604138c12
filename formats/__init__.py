"""Formats of other programs: SGF files, and the Hex Text Protocol in both directions."""
