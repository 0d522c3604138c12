"""The Online Hex Tournament: clients for both generations of the server, and a server at home."""
