"""A daemon inside the process of the tests, in a thread."""

import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from acey_daemon.server import Server
from acey_daemon.settings import Settings

FREE = "tcp://127.0.0.1:0"


@contextmanager
def serving(folder: Path) -> Generator[Server]:
    """A server on free ports with its store in a folder."""
    store = str(folder / "tables.sqlite")
    settings = Settings(bind=(FREE,), events=(FREE,), store=store, durability="process")
    with Server(settings) as running:
        thread = threading.Thread(target=running.run)
        thread.start()
        try:
            yield running
        finally:
            running.stop()
            thread.join()
