from acey_rules.kernel_types cimport Rules

cdef unsigned int then(unsigned int stages, unsigned int rest) noexcept nogil
cdef unsigned int earned_by_name(Rules *rules, int number) noexcept nogil
cdef unsigned int earned_by_roll(Rules *rules, int high, int low) noexcept nogil
cdef unsigned int rest_of(Rules *rules, unsigned int agenda, int side, unsigned char *row, unsigned int code) noexcept nogil
cdef int overshoot_of(object overshoot) except -1
cdef int check_roll(Py_ssize_t size, int side, int high, int low) except -1
cdef Rules read_rules(object rules)
cdef unsigned int read_agenda(tuple agenda)
