"""All drawing code: boards, live displays, and reports of results.

The input is plain data or the observer's three calls; nothing here makes decisions. Modules that
import ``rich`` or matplotlib are imported at their first use.
"""
