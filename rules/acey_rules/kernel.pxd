# What the kernel's other modules call in kernel.py.
from acey_rules.kernel_types cimport Board

cdef void load(const unsigned char *packed, int side, Board *board) noexcept nogil
cdef int generate(const Board *board, int high, int low, int overshoot, unsigned int *codes) noexcept nogil
cdef void make(unsigned char *row, const unsigned char *packed, int side, int high, int low, unsigned int blots, unsigned int code) noexcept nogil
cdef int overshoot_of(object overshoot) except -1
cdef bint has_won(unsigned char *row, int side) noexcept nogil
cdef int dice_played(unsigned int code, int high, int low) noexcept nogil
cdef void make_all(unsigned char *rows, const unsigned char *packed, int side, int high, int low, const Board *board, unsigned int *codes, int plays) noexcept nogil
cdef int check_roll(Py_ssize_t size, int side, int high, int low) except -1
