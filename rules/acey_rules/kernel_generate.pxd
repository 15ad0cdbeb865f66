from acey_rules.kernel_types cimport Board

cdef void load(const unsigned char *packed, int side, Board *board) noexcept nogil
cdef int generate(const Board *board, int high, int low, int overshoot, unsigned int *codes) noexcept nogil
