# What a failed call raises: one class for each kind of failure, and
# all of them are ToolErrors.
import sys
from host import tools, ToolError, ToolArgumentError

# The tool has something to say: its message arrives.
try:
    tools.lookup_region("ATLANTIS")
except ToolError as error:
    print(f"{error.kind}: {error}")

# The arguments do not fit the schema: the function is never called.
try:
    tools.light_lamp(x=99, y=0, colour="green")
except ToolArgumentError as error:
    print(f"{error.kind}: {error}")

# A name that the page does not offer.
try:
    tools.open_the_pod_bay_doors()
except AttributeError as error:
    print(f"AttributeError: {error}")

print("This line goes to stderr.", file=sys.stderr)

# What nobody catches ends the program: a traceback, and exit code 1.
tools.draw_chart("Broken", labels=["a", "b"], values=[1])
