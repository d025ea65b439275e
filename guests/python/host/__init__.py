# The guest's half of the tool protocol; runs in a Python guest (CPython 3.11 and later, standard library only).
"""Call the page's tools from Python.

    from host import tools, ToolError

    print(tools.lookup_region("EMEA"))        # positional, in the order of the schema's properties
    print(tools.lookup_region(code="EMEA"))   # or by keyword

dir(tools) lists them, help(tools.lookup_region) shows one. A call that fails raises a ToolError, whose .kind says how.
`from host import tools` is an ImportError where no host answers.

host.http.request(...) sends an HTTP request through the page, where the page allows it.
"""

from ._errors import (
    ToolArgumentError,
    ToolBudgetExceeded,
    ToolCancelled,
    ToolDenied,
    ToolError,
    ToolProtocolError,
    ToolTimeout,
    ToolTooLarge,
)

# `tools` and `http` are submodules: they are imported when somebody asks for them, so that `import host` never fails.
__all__ = [
    "ToolArgumentError",
    "ToolBudgetExceeded",
    "ToolCancelled",
    "ToolDenied",
    "ToolError",
    "ToolProtocolError",
    "ToolTimeout",
    "ToolTooLarge",
]
