"""What to say to those who start the program without the packages that it needs."""

from __future__ import annotations

import os

PACKAGES = {
    "PIL": "pillow",
    "cryptography": "cryptography",
    "filelock": "filelock",
    "matplotlib": "matplotlib",
    "numba": "numba",
    "numpy": "numpy",
    "psutil": "psutil",
    "pydantic": "pydantic",
    "rich": "rich",
    "scipy": "scipy",
    "torch": "torch",
    "yaml": "pyyaml",
}
"""What an installation brings: the name in an import, and that of the package."""


def missing_package(error: ModuleNotFoundError) -> str | None:
    """Return which package is missing and how to get it; ``None`` if an import of ours is wrong."""
    package = PACKAGES.get((error.name or "").partition(".")[0])
    if package is None:
        return None
    if os.name == "nt":
        how = r"install as README.md says, then .venv\Scripts\activate"
    else:
        how = "run `make venv`, then `. .venv/bin/activate`"
    return f"the package {package} is missing; {how}"
