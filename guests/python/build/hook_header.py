# Compiles the hook to a C array of marshalled code; runs at build time: python3.11 hook_header.py FILE > stdlib_hook.h

import marshal
import sys

with open(sys.argv[1], "rb") as file:
    # Named like the import system's own files, so that its frames are left out of tracebacks too.
    code = compile(file.read(), "<frozen importlib._bootstrap_external>", "exec", dont_inherit=True)
data = marshal.dumps(code)
print("static const unsigned char stdlib_hook_code[] = {")
for at in range(0, len(data), 24):
    print("".join(f"{byte}," for byte in data[at : at + 24]))
print("};")
