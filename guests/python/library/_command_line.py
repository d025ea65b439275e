# CPython's command line, read by an interpreter that runs already; runs in the guest.

USAGE = "usage: python [-BEIPqsuxv] [-W action] [-c command | -m module | file | -] [arguments]"
#: Options that say how an interpreter starts, which has happened already.
_TOO_LATE = {"O": "optimization", "X": "an implementation option", "S": "no site", "d": "debugging", "b": "bytes warnings"}


class CommandLine:
    """A command line, read as CPython reads it."""

    def __init__(self):
        self.code = self.module = self.file = None
        self.unbuffered = self.version = self.safe_path = False
        self.environment = self.bytecode = True
        self.warnings = []
        self.argv = []

    def read(self, argv):
        """None, or what is wrong with it."""
        at = 1
        while at < len(argv):
            word = argv[at]
            if word == "--version":
                self.version = True
                return None
            if word == "--" or word[:1] != "-" or word == "-":
                break
            at += 1
            flags = word[1:]
            while flags:
                flag, flags = flags[0], flags[1:]
                if flag in "cmW":
                    if not flags and at >= len(argv):
                        return f"Argument expected for the -{flag} option"
                    value = flags or argv[at]
                    at += 0 if flags else 1
                    flags = ""
                    if flag == "W":
                        self.warnings.append(value)
                        continue
                    if flag == "c":
                        self.code, name = value, "-c"
                    else:
                        self.module, name = value, "-m"
                    self.argv = [name, *argv[at:]]
                    return None
                problem = self._flag(flag)
                if problem is not None:
                    return problem
        if at < len(argv) and argv[at] == "--":
            at += 1
        self.argv = list(argv[at:]) or [""]
        if self.argv[0] not in ("", "-"):
            self.file = self.argv[0]
        return None

    def _flag(self, flag):
        if flag == "u":
            self.unbuffered = True
        elif flag == "B":
            self.bytecode = False
        elif flag == "E":
            self.environment = False
        elif flag == "I":
            self.environment, self.safe_path = False, True
        elif flag == "P":
            self.safe_path = True
        elif flag == "V":
            self.version = True
        elif flag == "i":
            return "the option -i is not there in a snapshot"
        elif flag in _TOO_LATE:
            return f"the option -{flag} ({_TOO_LATE[flag]}) cannot be given to a started interpreter"
        elif flag not in "qsvx":
            return f"Unknown option: -{flag}"
        return None
