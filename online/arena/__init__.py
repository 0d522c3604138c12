"""The public hexgame arena: a client for its server."""
