# What the kernel's other modules call in kernel.py.
from acey_rules.kernel_types cimport Board

# More plays than a roll can have: the ways to choose four of 25 sources with repetition, C(28, 4).
cdef enum:
    MOST_PLAYS = 20475

cdef void load(const unsigned char *packed, int side, Board *board) noexcept nogil
cdef int generate(const Board *board, int high, int low, int overshoot, unsigned int *codes) noexcept nogil
cdef void make(unsigned char *row, const unsigned char *packed, int side, int high, int low, unsigned int blots, unsigned int code) noexcept nogil
cdef int overshoot_of(object overshoot) except -1
cdef bint has_won(unsigned char *row, int side) noexcept nogil
cdef int dice_played(unsigned int code, int high, int low) noexcept nogil
