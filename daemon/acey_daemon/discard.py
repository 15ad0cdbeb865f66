"""The rest of a message of many frames, received and dropped in C. docs/operating.md.

Compiled by Cython; never run uncompiled.
"""

import cython

NOBLOCK = cython.declare(cython.int, 1)


def discard(
    sock: cython.size_t,
    added: cython.longlong,
    init: cython.size_t,
    receive: cython.size_t,
    more: cython.size_t,
    close: cython.size_t,
) -> cython.longlong:
    """Drop what is left of the message that a ZeroMQ socket has begun to receive.

    At least a frame must be left. ``sock`` is the address of the socket; the last four are those of
    ``zmq_msg_init``, ``zmq_msg_recv``, ``zmq_msg_more`` and ``zmq_msg_close``. How many bytes were
    sent for what was dropped, ``added`` to each frame; ``~`` of that if ZeroMQ has an error to tell
    whoever receives next.
    """
    room = cython.declare(cython.longlong[8])  # a zmq_msg_t is 64 bytes, since ZeroMQ 4.1
    message: cython.p_void = cython.cast(cython.p_void, room)
    source: cython.p_void = cython.cast(cython.p_void, sock)
    take: receive_t = cython.cast(receive_t, receive)
    goes_on: ask_t = cython.cast(ask_t, more)
    size: cython.longlong
    total: cython.longlong = 0
    with cython.nogil:
        cython.cast(change_t, init)(message)
        while True:
            size = take(message, source, NOBLOCK)
            if size < 0:
                total = ~total
                break
            size += added
            total += size + (2 if size < 256 else 9)
            if not goes_on(message):
                break
        cython.cast(change_t, close)(message)
    return total
