"""Where the parts of long work run, and how interrupted work can continue.

A part is known by a digest of everything its result depends on: where, in how many parts, in which order and after how
many failures parts are worked on changes no byte of the result.
"""
