from acey_rules.kernel_types cimport Board

cdef int count_plays(const Board *board, int high, int low, int overshoot, unsigned int *codes) noexcept nogil
