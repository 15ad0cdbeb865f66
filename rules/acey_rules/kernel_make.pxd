from acey_rules.kernel_types cimport Board

cdef void make(unsigned char *row, const unsigned char *packed, int side, int high, int low, unsigned int blots, unsigned int code) noexcept nogil
cdef void make_all(unsigned char *rows, const unsigned char *packed, int side, int high, int low, const Board *board, unsigned int *codes, int plays) noexcept nogil
cdef bint has_won(unsigned char *row, int side) noexcept nogil
cdef int dice_played(unsigned int code, int high, int low) noexcept nogil
