cdef int write_text(char *letters, unsigned int code, int high, int low, unsigned int blots) noexcept nogil
cdef int write_position(char *letters, unsigned char *row) noexcept nogil
