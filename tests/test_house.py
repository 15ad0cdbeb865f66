"""The house is as pyproject.toml says: its packages, their folders, types and docstrings."""

import ast
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent


def setuptools_table() -> dict[str, Any]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        return tomllib.load(file)["tool"]["setuptools"]


SETUPTOOLS = setuptools_table()
PACKAGE_DIR: dict[str, str] = SETUPTOOLS["package-dir"]
PACKAGES: list[str] = SETUPTOOLS["packages"]


def folder_of(package: str) -> Path:
    top, *rest = package.split(".")
    return ROOT.joinpath(PACKAGE_DIR[top], *rest)


def packages_on_disk() -> set[str]:
    """Return the dotted name of every folder of Python files under a component's folder."""
    found: set[str] = set()
    for top in ROOT.glob("*/acey_*"):
        for folder in (top, *top.rglob("*")):
            if folder.is_dir() and any(folder.glob("*.py")):
                found.add(".".join(folder.relative_to(top.parent).parts))
    return found


def test_the_listed_packages_are_the_folders_that_exist() -> None:
    assert sorted(PACKAGES) == sorted(packages_on_disk())


def test_each_component_is_a_source_root_with_one_package() -> None:
    tops = [package for package in PACKAGES if "." not in package]
    assert {top: f"{top.removeprefix('acey_')}/{top}" for top in tops} == PACKAGE_DIR


@pytest.mark.parametrize("package", sorted(PACKAGE_DIR))
def test_each_component_ships_its_types(package: str) -> None:
    assert (folder_of(package) / "py.typed").read_bytes() == b""
    assert "py.typed" in SETUPTOOLS["package-data"][package]


@pytest.mark.parametrize("package", PACKAGES)
def test_each_package_says_what_it_is(package: str) -> None:
    tree = ast.parse((folder_of(package) / "__init__.py").read_text("utf-8"))
    docstring = ast.get_docstring(tree)
    assert docstring is not None
    summary = docstring.splitlines()[0]
    assert len(summary) > 20
    assert summary.endswith(".")
