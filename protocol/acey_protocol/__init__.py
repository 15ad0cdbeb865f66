"""What crosses a wire or a disk: records, requests, replies and events, and the Python clients.

Records are msgspec structs with JSON, MessagePack and schema forms; requests, replies and events
are lines of text. The client is the model for clients in other languages.

``Client`` and ``AsyncClient`` are looked up when they are first asked for, since they alone need
ZeroMQ: records and lines are read without it.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acey_protocol.client import Client
    from acey_protocol.client_async import AsyncClient

__all__ = ["AsyncClient", "Client"]


def __getattr__(name: str) -> object:
    """A client, imported now. Raises AttributeError for any other name."""
    if name == "Client":
        from acey_protocol.client import Client  # noqa: PLC0415 - zmq only where it is needed

        return Client
    if name == "AsyncClient":
        from acey_protocol.client_async import AsyncClient  # noqa: PLC0415

        return AsyncClient
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
