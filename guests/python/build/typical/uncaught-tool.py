import sys

from host import ToolArgumentError, ToolError, tools

count = 0


def add():
    count += 1


try:
    add()
except UnboundLocalError as error:
    print(error, file=sys.stderr)
try:
    tools.lookup_region(code=["a"])
    tools.lookup_region(1, 2, 3)
except ToolArgumentError as error:
    print(f"{error.kind}: {error}")
try:
    tools.open_the_pod_bay_doors()
except AttributeError as error:
    print(f"AttributeError: {error}")
tools.lookup_region("ATLANTIS")
