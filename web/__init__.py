"""The page: play, review, watch and understand games in a browser.

The server keeps only games between two people (``friends/rooms.py``). Of other games the browser
posts the moves with each request, so that a reload, a restart or a second window loses nothing.
``server/app.py`` lists the requests.
"""
