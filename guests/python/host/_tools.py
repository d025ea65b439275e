# The module `host.tools`: one function a tool, made from its descriptor; runs in a Python guest.

import sys

from ._errors import ToolArgumentError, ToolError
from ._frames import ask, plain
from ._signature import Shape


class _Tools(type(sys)):
    """What `host.tools` is: its names are the tools', no others."""

    def __dir__(self):
        return list(self.__all__)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        # Slow to import, and needed by mistakes alone.
        from difflib import get_close_matches

        names = self.__all__
        close = get_close_matches(name, names, n=3)
        hint = f"; did you mean {' or '.join(close)}?" if close else ""
        known = ", ".join(names) if names else "none"
        raise AttributeError(f"the host has no tool {name!r}{hint} (its tools: {known})")


def discover(spec):
    """Asks the host for its tools; ImportError when none answers or it refuses."""
    try:
        descriptors = ask({"op": "list"}, "tools")
        if not isinstance(descriptors, list):
            raise TypeError("it is no list")
        made = [_function(descriptor) for descriptor in descriptors]
    except ToolError as error:
        raise ImportError(f"the host offers no tools: {error}", name=spec.name) from error
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ImportError(f"the host's list of tools cannot be read: {error}", name=spec.name) from error
    module = _Tools(spec.name)
    module.__spec__ = spec
    module.__package__ = spec.parent
    module.__all__ = [function.__name__ for function, _ in made]
    module.__doc__ = "The tools of the page.\n\n" + "\n".join(line for _, line in made)
    module.__dict__.update((function.__name__, function) for function, _ in made)
    return module


def _function(descriptor):
    name, shape = descriptor["name"], Shape(descriptor)
    order = shape.order

    def tool(*args, **kwargs):
        try:
            return ask({"op": "call", "tool": name, "args": _arguments(name, order, args, kwargs)}, "value")
        except ToolError as error:
            # A traceback is to end near the caller's line, not in here.
            raise error.with_traceback(None)

    tool.__name__ = tool.__qualname__ = name
    tool.__module__ = "host.tools"
    tool.__doc__ = shape.doc
    # What inspect.signature, help() and editors look at; the function itself leaves judging to the host.
    tool.__wrapped__ = shape.carrier
    tool.__annotations__ = shape.carrier.__annotations__
    return tool, shape.line


def _arguments(name, order, args, kwargs):
    if len(args) > len(order):
        takes = f"at most {len(order)} positional" if order else "no positional"
        raise ToolArgumentError(f"{name}() takes {takes} arguments, {len(args)} were given")
    given = dict(zip(order, args))
    for key in kwargs:
        if key in given:
            raise ToolArgumentError(f"{name}() got {key!r} twice, by position and by name")
    given.update(kwargs)
    return {key: plain(value, f"{name}() argument {key!r}") for key, value in given.items()}
