"""acl.util: memory helpers and threads."""

from ._faces import fill

__getattr__, __dir__ = fill('acl.util', globals())
