"""python -m acl_bind.pyacl script.py arguments: run a program written for pyACL."""

import sys

from ._run import run

sys.exit(run(sys.argv[1:]))
