# The page's tools as a module: importing it asks the host which there are; runs in a Python guest.

import sys

from ._tools import discover

# A module of nothing but tools takes this one's place, so that no name of ours can hide a tool.
sys.modules[__name__] = discover(__spec__)
