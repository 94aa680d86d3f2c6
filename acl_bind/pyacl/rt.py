"""acl.rt: the runtime."""

from ._faces import fill

__getattr__, __dir__ = fill('acl.rt', globals())
