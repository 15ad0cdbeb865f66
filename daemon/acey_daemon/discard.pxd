# Functions of the ZeroMQ that pyzmq brings: they are called where it has them, and not linked.

ctypedef int (*change_t)(void *message) noexcept nogil
ctypedef int (*receive_t)(void *message, void *socket, int flags) noexcept nogil
ctypedef int (*ask_t)(const void *message) noexcept nogil
