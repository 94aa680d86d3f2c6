"""Where the program is: the innermost line outside this package."""

from __future__ import annotations

import os
import sys

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep


def where() -> str:
    """As 'file:line'; '' when every frame is the package's own."""
    frame = sys._getframe(1)
    while frame.f_code.co_filename.startswith(_PACKAGE):
        if frame.f_back is None:
            return ''
        frame = frame.f_back
    return f'{frame.f_code.co_filename}:{frame.f_lineno}'
