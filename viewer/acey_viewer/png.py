"""Boards as PNG, through resvg (the extra ``png``)."""

from acey_viewer.svg import FONTS, Theme


class PngError(RuntimeError):
    """A PNG cannot be made on this machine; the message says what to install."""


def png_bytes(svg: str, *, width: int = 1088) -> bytes:
    """An SVG document as a PNG ``width`` pixels wide.

    Raises PngError when the extra is not installed, or when the machine has no font: the point
    numbers would silently be missing.
    """
    try:
        import resvg_py  # noqa: PLC0415 - an extra, needed by whoever asks for a PNG alone
    except ImportError as error:
        raise PngError("PNG needs the extra: pip install 'aceydeucey[png]'") from error
    probe = resvg_py.svg_to_bytes(svg_string=_PROBE.format("8"))
    if probe == resvg_py.svg_to_bytes(svg_string=_PROBE.format("")):
        raise PngError("PNG needs a font on this machine, for example DejaVu Sans")
    return resvg_py.svg_to_bytes(svg_string=svg, width=width)


def fixed(theme: Theme) -> Theme:
    """A theme a still picture can have: ``auto`` becomes ``light``."""
    return "light" if theme == "auto" else theme


_PROBE = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20">'
    f'<text x="2" y="16" font-family="{FONTS}">{{}}</text></svg>'
)
