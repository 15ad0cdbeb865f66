from acey_rules.kernel_types cimport Board

cdef int generate_home(const Board *board, int high, int low, int overshoot, unsigned int *codes) noexcept nogil
