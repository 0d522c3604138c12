"""The Online Hex Tournament: clients for both generations of the server, and a local server."""
