# A device file of the host: one line out, one line back; runs in a Python guest.

import os


class Device:
    """Sends lines through a device file. It is opened when it is first used and stays open."""

    def __init__(self, path):
        self._path = path
        self._fd = None

    def call(self, line):
        """Sends bytes without a line feed and returns the answer's; OSError when there is no device or no answer."""
        if self._fd is None:
            # A text-mode file would want to seek; a plain descriptor reads and writes on every interpreter.
            self._fd = os.open(self._path, os.O_RDWR)
        try:
            rest = memoryview(line + b"\n")
            while rest:
                rest = rest[os.write(self._fd, rest) :]
            return self._answer()
        except BaseException:
            # Whatever is left of the answer belongs to nobody: the next call gets a new descriptor.
            self.close()
            raise

    def _answer(self):
        parts = []
        while True:
            part = os.read(self._fd, 65536)
            if not part:
                raise OSError(f"{self._path} gave no answer")
            parts.append(part)
            if part.endswith(b"\n"):
                return b"".join(parts)[:-1]

    def close(self):
        if self._fd is not None:
            fd, self._fd = self._fd, None
            os.close(fd)
