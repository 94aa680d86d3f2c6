"""Runs a program written for pyACL, as `python script.py` or `python -m module` would."""

from __future__ import annotations

import os
import runpy
import sys

from . import install


def run(arguments: list[str]) -> int:
    """``[script.py, arguments...]`` or ``['-m', module, arguments...]``. Returns the exit code; sys.exit() goes through."""
    if not arguments or arguments == ['-m']:
        raise ValueError('nothing to run: give a script and its arguments, or -m and a module')
    install()
    try:
        if arguments[0] == '-m':
            sys.path.insert(0, os.getcwd())
            sys.argv = arguments[1:]
            runpy.run_module(arguments[1], run_name='__main__', alter_sys=True)
        else:
            sys.path.insert(0, os.path.dirname(os.path.abspath(arguments[0])))
            sys.argv = arguments
            runpy.run_path(arguments[0], run_name='__main__')
    except Exception as error:
        _print_program_part(error)
        return 1
    return 0


def _print_program_part(error: Exception) -> None:
    """The traceback without the frames of this file and runpy, which say nothing about the program."""
    trace = error.__traceback__
    while trace is not None and (trace.tb_frame.f_code.co_filename == __file__ or trace.tb_frame.f_globals.get('__name__') == 'runpy'):
        trace = trace.tb_next
    shown = error.with_traceback(trace or error.__traceback__)
    sys.__excepthook__(type(shown), shown, shown.__traceback__)
