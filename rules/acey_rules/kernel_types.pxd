# What the kernel's modules share in C: the board as the mover sees it, and two instructions.

cdef extern from *:
    """
    #if defined(_MSC_VER)
    #include <intrin.h>
    static __inline int acey_top(unsigned int mask) {
        unsigned long index;
        _BitScanReverse(&index, mask);
        return (int)index;
    }
    #else
    static inline int acey_top(unsigned int mask) { return 31 - __builtin_clz(mask); }
    #endif
    """
    # The highest bit set in a mask that is not 0.
    int top "acey_top"(unsigned int mask) noexcept nogil


# A point is the mover's own number, as in position.py: 1-24, 25 unentered, 26 on the bar. Bit p of
# a mask stands for point p. `men` says where the mover has checkers (bar excepted), `held` where
# two or more opposing checkers stand, `blots` where one does; `outside` counts the mover's checkers
# that have yet to come home, those unentered and on the bar included.
cdef struct Board:
    unsigned char mine[32]
    unsigned int men
    unsigned int held
    unsigned int blots
    int outside


cdef extern from *:
    """
    static inline PyObject *acey_new(PyObject *type, PyObject *arguments) {
        return ((PyTypeObject *)type)->tp_new((PyTypeObject *)type, arguments, NULL);
    }
    """
    # What type.__new__(type, *arguments) gives, without looking it up.
    object new_instance "acey_new"(object type, tuple arguments)
