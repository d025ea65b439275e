# The way to the host: the door built into the interpreter, else the device file; runs in a Python guest.

import os

from ._device import Device

_way = None


def _built_in():
    # Only a build of Python with the custom import has this module.
    import _hostdoor

    return _hostdoor.call


def _device():
    return Device(os.environ.get("HOST_DOOR") or "/dev/door").call


def exchange(request):
    """Sends a frame and returns the answer's bytes; OSError when nothing answers."""
    global _way
    if _way is not None:
        return _way(request)
    problems = []
    for find in (_built_in, _device):
        try:
            way = find()
            answer = way(request)
        except (ImportError, OSError) as error:
            problems.append(str(error))
        else:
            # Kept only now: a built-in door that nobody serves must not hide the device.
            _way = way
            return answer
    raise OSError("; ".join(problems))
