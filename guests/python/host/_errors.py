# What a failed call raises: one class for each kind of the tool protocol; runs in a Python guest.


class ToolError(Exception):
    """A call failed. .kind says how, .message is what the host chose to say."""

    kind = "tool_error"

    def __init__(self, message="", kind=None):
        super().__init__(message)
        self.message = message
        if kind is not None:
            self.kind = kind

    def __reduce__(self):
        return type(self), (self.message, self.kind)


class ToolProtocolError(ToolError):
    """The frame broke a rule of the protocol, or the answer does not match."""

    kind = "protocol"


class ToolArgumentError(ToolError, TypeError):
    """There is no such tool (.kind is "unknown_tool"), or the arguments do not fit its schema ("invalid_arguments")."""

    kind = "invalid_arguments"


class ToolDenied(ToolError, PermissionError):
    """The page, or the tool, refused."""

    kind = "denied"


class ToolTimeout(ToolError, TimeoutError):
    """The call ran out of time."""

    kind = "timeout"


class ToolCancelled(ToolError):
    """The run was cancelled during the call. The guest is stopped soon after, so do not rely on catching this."""

    kind = "cancelled"


class ToolTooLarge(ToolError):
    """The request was over 1 MiB, or the answer over 16 MiB."""

    kind = "too_large"


class ToolBudgetExceeded(ToolError):
    """The run has used up its calls, or the bytes that it may send."""

    kind = "budget_exceeded"


_CLASSES = {"unknown_tool": ToolArgumentError}
for _class in (
    ToolError,
    ToolProtocolError,
    ToolArgumentError,
    ToolDenied,
    ToolTimeout,
    ToolCancelled,
    ToolTooLarge,
    ToolBudgetExceeded,
):
    _CLASSES[_class.kind] = _class
    # Shown as host.ToolDenied, which is how programs know it.
    _class.__module__ = "host"


def error_of(kind, message):
    """The exception for a kind; a kind that this version does not know is a plain ToolError."""
    return _CLASSES.get(kind, ToolError)(message, kind)
