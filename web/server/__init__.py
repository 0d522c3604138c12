"""The server of the page: requests, who may ask, and the state that all pages share."""
