"""The page: play, review, watch and understand games in a browser.

The server keeps no game: the browser posts the moves with each question, so that a reload, a
restart or a second window loses nothing. ``server.py`` lists the questions.
"""
