"""What the compiled module offers Python; see discard.py."""

def discard(sock: int, added: int, init: int, receive: int, more: int, close: int) -> int:
    """Drop what is left of the message that a ZeroMQ socket has begun to receive."""
