"""The live page: a web server that is a client of a daemon, for spectators and persons at a table.

    tablefilm.py   the events of a table as the page shows them
    decision.py    what a seat has to decide, as the page offers it
    rulestext.py   a rule set in words
    daemon.py      the daemon as seen from asyncio: questions, waits, watching
    seating.py     opening tables, seat codes
    seatline.py    a person's seat over a WebSocket
    app.py         the pages and their WebSockets

It speaks the public protocol and nothing else: what a page may do a bot may do, and the other way.
"""
