# What other modules call in kernel_plays.py.

cdef int write_text(char *letters, unsigned int code, int high, int low, unsigned int blots) noexcept nogil
