"""What crosses a wire or a disk: records, requests, replies and events, and the Python client.

Records are msgspec structs with JSON, MessagePack and schema forms; requests, replies and events
are lines of text. The client is the model for clients in other languages.

``Client`` is looked up when it is first asked for, since it alone needs ZeroMQ: records and lines
are read without it.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acey_protocol.client import Client

__all__ = ["Client"]


def __getattr__(name: str) -> object:
    """``Client``, imported now. Raises AttributeError for any other name."""
    if name == "Client":
        from acey_protocol.client import Client  # noqa: PLC0415 - zmq only where it is needed

        return Client
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
