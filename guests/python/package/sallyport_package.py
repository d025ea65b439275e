"""The Python kit for function packages (ABI 1): decorate functions, then serve(). Runs in the guest.

One file, no library: put it beside main.py, and pack both with an interpreter whose command line is baked in:

    packPackage({ module: pythonWasm, argv: ["python", "/package/main.py"],
                  assets: { "main.py": main, "sallyport_package.py": kit } })

main.py:

    from sallyport_package import Image, Link, serve, tool

    @tool("Greet someone by name.", {"name": {"type": "string", "description": "Who to greet."}})
    def greet(name):
        if not name:
            raise ValueError("name must not be empty")
        return {"message": f"Hello, {name}!"}

    serve()

A function gets its arguments by keyword. It may return text, a dict or list (the structured value), an Image, a Link, or
a tuple of several. What it raises is a failure that the model reads. Once this file is imported, what anyone prints goes
to stderr.
"""

import json
import sys

# Nothing else is imported before it is needed: every call starts an interpreter.

REVISION = "2026-07-28"
_tools = {}

# Stdout is the protocol's from here on, whoever prints, and when.
_out = sys.stdout.buffer
sys.stdout = sys.stderr


class Image:
    """An image inside the result: bytes of a PNG, JPEG, GIF or WebP."""

    def __init__(self, data, mime_type="image/png"):
        import base64

        self.block = {
            "type": "image",
            "mimeType": mime_type,
            "data": base64.b64encode(data).decode("ascii"),
        }


class Link:
    """A link; for a file beneath /volume give its path, such as "/volume/tmp/chart.png"."""

    def __init__(self, path_or_uri, name=None):
        uri = path_or_uri
        if uri.startswith("/volume/"):
            uri = "volume:///" + _percent(uri[len("/volume/"):])
        name = name or path_or_uri.rsplit("/", 1)[-1]
        self.block = {"type": "resource_link", "uri": uri, "name": name}


def _percent(path):
    plain = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/"
    return "".join(chr(byte) if byte in plain else f"%{byte:02X}" for byte in path.encode("utf-8"))


def _parameters(function):
    """Names of the parameters that have no default."""
    code = function.__code__
    names = code.co_varnames[: code.co_argcount]
    needed = list(names[: len(names) - len(function.__defaults__ or ())])
    for name in code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]:
        if name not in (function.__kwdefaults__ or {}):
            needed.append(name)
    return needed


def tool(description, properties=None, required=None, *, name=None, output_schema=None):
    """Makes a function a tool. `required` is every parameter without a default, unless it is given."""

    def decorate(function):
        needed = _parameters(function) if required is None else list(required)
        schema = {"type": "object", "properties": properties or {}}
        if needed:
            schema["required"] = needed
        entry = {"name": name or function.__name__, "description": description, "inputSchema": schema}
        if output_schema is not None:
            entry["outputSchema"] = output_schema
        _tools[entry["name"]] = (entry, function)
        return function

    return decorate


def serve():
    """Answers requests until stdin ends."""
    for line in sys.stdin.buffer:
        if line.strip():
            answer = _answer(line)
            if answer is not None:
                text = json.dumps({"jsonrpc": "2.0", **answer}, ensure_ascii=False, separators=(",", ":"))
                _out.write(text.encode("utf-8", "replace") + b"\n")
                _out.flush()


def _answer(line):
    try:
        request = json.loads(line)
    except ValueError:
        return {"id": None, "error": {"code": -32700, "message": "the line is no JSON"}}
    if not isinstance(request, dict):
        return {"id": None, "error": {"code": -32600, "message": "the message is no request"}}
    if "id" not in request:
        return None  # a notification
    method, params = request.get("method"), request.get("params") or {}
    if method == "server/discover":
        result = {"supportedVersions": [REVISION], "capabilities": {"tools": {}}}
    elif method == "tools/list":
        result = {"tools": [entry for entry, _ in _tools.values()], "ttlMs": 86400000, "cacheScope": "public"}
    elif method == "tools/call" and params.get("name") in _tools:
        result = _call(_tools[params["name"]][1], params.get("arguments") or {})
    else:
        what = "tool" if method == "tools/call" else "method"
        code = -32602 if what == "tool" else -32601
        return {"id": request["id"], "error": {"code": code, "message": f"there is no such {what}"}}
    return {"id": request["id"], "result": {"resultType": "complete", **result}}


def _call(function, arguments):
    try:
        return _result(function(**arguments))
    except Exception as error:
        import traceback

        traceback.print_exc()
        text = str(error) or type(error).__name__
        return {"content": [{"type": "text", "text": text}], "isError": True}


def _result(value):
    if isinstance(value, (Image, Link)):
        return {"content": [value.block]}
    if isinstance(value, tuple):
        return {"content": [block for one in value for block in _result(one)["content"]]}
    if isinstance(value, str):
        return {"content": [{"type": "text", "text": value}]}
    if value is None:
        return {"content": []}
    # ValueError for what JSON cannot say, such as NaN: that is the function's own failure.
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return {"content": [{"type": "text", "text": text}], "structuredContent": value}
