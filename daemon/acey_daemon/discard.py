"""The rest of a message of many frames, received and dropped in C. docs/operating.md.

Compiled by Cython; never run uncompiled.
"""

import cython

NOBLOCK = cython.declare(cython.int, 1)


def discard(
    sock: cython.size_t,
    init: cython.size_t,
    receive: cython.size_t,
    more: cython.size_t,
    close: cython.size_t,
) -> bool:
    """Drop what is left of the message that a ZeroMQ socket has begun to receive.

    At least a frame must be left. All are addresses: of the socket, and of ``zmq_msg_init``,
    ``zmq_msg_recv``, ``zmq_msg_more`` and ``zmq_msg_close``. Whether it ended early, because ZeroMQ
    has an error to tell whoever receives next.
    """
    room = cython.declare(cython.longlong[8])  # a zmq_msg_t is 64 bytes, since ZeroMQ 4.1
    message: cython.p_void = cython.cast(cython.p_void, room)
    source: cython.p_void = cython.cast(cython.p_void, sock)
    take: receive_t = cython.cast(receive_t, receive)
    goes_on: ask_t = cython.cast(ask_t, more)
    failed: cython.bint = False
    with cython.nogil:
        cython.cast(change_t, init)(message)
        while not failed:
            failed = take(message, source, NOBLOCK) < 0
            if not goes_on(message):
                break
        cython.cast(change_t, close)(message)
    return failed
