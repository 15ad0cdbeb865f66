"""The referee as a service: a ZeroMQ server, its store, and the ``acey`` command line.

One thread around one poller takes what has arrived, applies it, commits it to SQLite as one group
and only then replies, so that whatever was acknowledged is on disk.
"""
