"""Builds what is compiled, the fast move generator above all; the rest is in pyproject.toml.

`rules/acey_rules/kernel*.py` are Cython in pure-Python mode, compiled here to extension modules of
the same names. They are optional: where no C compiler works, the install succeeds and the reference
generator serves. `ACEY_NO_KERNEL=1` leaves them out on purpose.

Without an extension, `import acey_rules.kernel` would find the uncompiled source. So
`acey_rules.generator` looks at where the modules are: only extension modules count as the kernel,
and `acey --version` says which generator serves. `acey_grammar.scan`, which asks the kernel, and
`acey_daemon.discard` are built and found in the same way.

A fault in the kernel that Cython itself finds does stop the install: that is a fault of ours, not
of the machine.
"""

import os
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import BaseError, CCompilerError

RULES = Path("rules/acey_rules")
KERNEL = sorted(path.stem for path in RULES.glob("kernel*.py"))


class BuildKernel(build_ext):
    """Compiles the kernel where that is possible.

    `optional=True` alone forgives a compiler that fails, but not one that does not exist.
    """

    def build_extension(self, ext: Extension) -> None:
        try:
            super().build_extension(ext)
        except (BaseError, CCompilerError, OSError) as error:
            self.warn(f"no fast move generator, the reference serves: {error}")


def extensions() -> list[Extension]:
    if os.environ.get("ACEY_NO_KERNEL") == "1":
        return []
    optimise = [] if sys.platform == "win32" else ["-O3"]
    shared = [str(path) for path in sorted(RULES.glob("*.pxd"))]
    sources = {f"acey_rules.{name}": RULES / f"{name}.py" for name in KERNEL}
    sources["acey_grammar.scan"] = Path("grammar/acey_grammar/scan.py")
    sources["acey_daemon.discard"] = Path("daemon/acey_daemon/discard.py")
    modules = [
        Extension(name, [str(source)], extra_compile_args=optimise, depends=shared)
        for name, source in sources.items()
    ]
    # build_dir keeps the generated C out of the source tree.
    built = cythonize(modules, build_dir="build/cython", include_path=["rules"], language_level=3)
    for extension in built:
        extension.optional = True  # set here because cythonize drops it from its copy
    return built


setup(ext_modules=extensions(), cmdclass={"build_ext": BuildKernel})
