"""Everything that draws: boards, what is shown while something runs, and reports of results.

What is drawn comes in as plain data or through the observer's three calls; nothing here decides
anything. Modules that bring ``rich`` or matplotlib with them are imported when they are used.
"""
