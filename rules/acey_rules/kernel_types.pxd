# What the kernel's modules share in C: the board as the mover sees it, and a few instructions.

cdef extern from *:
    """
    #if defined(_MSC_VER)
    #include <intrin.h>
    #define acey_inline __inline
    static __inline int acey_top(unsigned int mask) {
        unsigned long index;
        _BitScanReverse(&index, mask);
        return (int)index;
    }
    #define acey_swapped(word) _byteswap_uint64(word)
    #else
    #define acey_inline inline
    static inline int acey_top(unsigned int mask) { return 31 - __builtin_clz(mask); }
    #define acey_swapped(word) __builtin_bswap64(word)
    #endif

    static acey_inline int acey_bits(unsigned int mask) {
        mask -= mask >> 1 & 0x55555555u;
        mask = (mask & 0x33333333u) + (mask >> 2 & 0x33333333u);
        return (int)(((mask + (mask >> 4)) & 0x0F0F0F0Fu) * 0x01010101u >> 24);
    }

    static acey_inline unsigned long long acey_ordered(unsigned long long word) {
    #if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        return acey_swapped(word);
    #else
        return word;
    #endif
    }

    static acey_inline unsigned long long acey_read(const unsigned char *bytes) {
        unsigned long long word;
        memcpy(&word, bytes, 8);
        return acey_ordered(word);
    }

    static acey_inline void acey_write(unsigned char *bytes, unsigned long long word) {
        word = acey_ordered(word);
        memcpy(bytes, &word, 8);
    }
    """
    # The highest bit set in a mask that is not 0.
    int top "acey_top"(unsigned int mask) noexcept nogil
    # How many bits are set. No processor's instruction is assumed to be there.
    int bits "acey_bits"(unsigned int mask) noexcept nogil
    # Eight bytes as a number, the first one lowest; the same written; and in reversed order.
    unsigned long long read_word "acey_read"(const unsigned char *bytes) noexcept nogil
    void write_word "acey_write"(unsigned char *bytes, unsigned long long word) noexcept nogil
    unsigned long long reversed_word "acey_swapped"(unsigned long long word) noexcept nogil


cdef enum:
    # More plays than a roll can have, whatever the board: the ways to choose four of 26 sources
    # with repetition, C(29, 4).
    MOST_PLAYS = 23751
    # Stages of an agenda that are no dice; see kernel_walk.py.
    ROLL = 1
    NAME = 2


# A point is the mover's own number, as in position.py: 1-24, 25 unentered, 26 on the bar. Bit p of
# a mask stands for point p. `men` says where the mover has checkers, `pairs` where two or more (bar
# excepted), `held` where two or more opposing checkers stand, `blots` where one does; `outside`
# counts the mover's checkers that have yet to come home, those unentered and on the bar included.
cdef struct Board:
    unsigned char mine[32]
    unsigned int men
    unsigned int pairs
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


cdef extern from *:
    """
    static inline int acey_raise(void) { return -1; }
    """
    # Whether a signal's handler raised; the error waits for raise_waiting().
    int signal_raised "PyErr_CheckSignals"() noexcept
    int raise_waiting "acey_raise"() except -1


cdef extern from *:
    """
    #define ACEY_STEP 0x9E3779B97F4A7C15ULL
    #define ACEY_MIX_1 0xBF58476D1CE4E5B9ULL
    #define ACEY_MIX_2 0x94D049BB133111EBULL
    """
    # The constants of SplitMix64, which are too large for a literal of Cython's.
    const unsigned long long SPLIT_MIX_STEP "ACEY_STEP"
    const unsigned long long SPLIT_MIX_1 "ACEY_MIX_1"
    const unsigned long long SPLIT_MIX_2 "ACEY_MIX_2"


# A rule set's fields (spec/rules.md §7). overshoot: 0 highest, 1 any, 2 exact; forfeit: 0 strict,
# 1 bar-only, 2 first-only; scoring: 0 per-checker, 1 single, 2 gammon.
cdef struct Rules:
    int overshoot
    bint acey_bonus
    bint complement
    bint doubles_reroll
    int forfeit
    int scoring
