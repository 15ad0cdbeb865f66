"""Builds the fast move generator; everything else is in pyproject.toml.

`rules/acey_rules/kernel.py` is Cython in pure-Python mode, compiled here to the extension module
`acey_rules.kernel`. The extension is optional: where no C compiler works, the install succeeds and
the reference generator serves. `ACEY_NO_KERNEL=1` leaves the extension out on purpose.

Without the extension, `import acey_rules.kernel` would find the uncompiled source and run it
slowly. `acey_rules` therefore looks at the module's `__file__`: only one that does not end in
`.py` counts as the kernel, and `acey --version` says which generator serves.

A fault in kernel.py that Cython itself finds does stop the install: that is a fault of ours, not
of the machine.
"""

import os
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

KERNEL = Path("rules/acey_rules/kernel.py")


def extensions() -> list[Extension]:
    if os.environ.get("ACEY_NO_KERNEL") == "1" or not KERNEL.exists():
        return []
    kernel = Extension("acey_rules.kernel", [str(KERNEL)], optional=True)
    # build_dir keeps the generated C out of the source tree.
    return cythonize([kernel], build_dir="build/cython", language_level=3)


setup(ext_modules=extensions())
