# Compares what the package `host` shows of its tools with stubs(): reads {tools, stubs} from stdin, prints differences.
import ast
import inspect
import json
import sys
import types

given = json.loads(sys.stdin.read())


def answer(request):
    frame = json.loads(request)
    return json.dumps({"v": 1, "id": frame["id"], "ok": True, "tools": given["tools"]}).encode()


sys.modules["_hostdoor"] = types.SimpleNamespace(call=answer)
from host import tools  # noqa: E402

stubs = {node.name: node for node in ast.parse(given["stubs"]).body if isinstance(node, ast.FunctionDef)}
lines = {line.split("(")[0]: line for line in given["stubs"].splitlines() if line.startswith("def ")}
for name in tools.__all__:
    function = getattr(tools, name)
    shown = f"def {name}{inspect.signature(function)}:"
    if shown != lines[f"def {name}"]:
        print("signature", shown, "stub", lines[f"def {name}"])
    if shown not in tools.__doc__.splitlines():
        print("not in tools.__doc__:", shown)
    told = ast.get_docstring(stubs[name]) or ""
    if inspect.cleandoc(function.__doc__) != told:
        print("docstring", repr(function.__doc__), "stub", repr(told))
print("compared", len(tools.__all__))
