# The package `host` on the machine's own Python, against a scripted door; run by python-half.test.ts.
import importlib
import inspect
import json
import os
import pickle
import pty
import sys
import threading
import tty
import types
import unittest
from pathlib import Path

VECTORS = json.loads((Path(__file__).parent.parent / "half-vectors.json").read_text("utf-8"))

LOOKUP = {
    "name": "lookup_region",
    "description": "Region of a code",
    "inputSchema": {
        "type": "object",
        "properties": {
            "code": {"type": "string", "description": "Such as  EMEA"},
            "limit": {"type": "integer", "default": 10},
        },
        "required": ["code"],
    },
}
ECHO = {"name": "echo", "description": "", "inputSchema": {"type": "object"}}


def forget_host():
    for name in [name for name in sys.modules if name == "host" or name.startswith("host.")]:
        del sys.modules[name]
    sys.modules.pop("_hostdoor", None)


class Door:
    """Answers `list` with the tools and calls with what `answer(frame)` gives: a value, or a whole answer as text."""

    def __init__(self, tools=(LOOKUP, ECHO), answer=lambda frame: frame["args"]):
        self.tools, self.answer, self.requests = tools, answer, []

    def __call__(self, request):
        assert b"\n" not in request
        self.requests.append(request)
        frame = json.loads(request)
        if frame["op"] == "list":
            return json.dumps({"v": 1, "id": frame["id"], "ok": True, "tools": self.tools}).encode()
        answer = self.answer(frame)
        if isinstance(answer, bytes):
            return answer
        return json.dumps({"v": 1, "id": frame["id"], "ok": True, "value": answer}).encode()

    @property
    def last(self):
        return json.loads(self.requests[-1])


class WithDoor(unittest.TestCase):
    def setUp(self):
        forget_host()
        os.environ.pop("HOST_DOOR", None)

    def serve(self, door):
        """Puts a door in as the built-in one and imports the tools."""
        sys.modules["_hostdoor"] = types.SimpleNamespace(call=door)
        from host import tools

        return tools


class Discovery(WithDoor):
    def test_tools_are_functions(self):
        tools = self.serve(Door())
        self.assertEqual(dir(tools), ["echo", "lookup_region"])
        self.assertEqual(tools.__all__, ["lookup_region", "echo"])
        self.assertTrue(inspect.isfunction(tools.lookup_region))
        self.assertEqual(str(inspect.signature(tools.lookup_region)), "(code: str, limit: int = 10)")
        self.assertEqual(tools.lookup_region.__doc__, "Region of a code\n\ncode: Such as EMEA")
        self.assertEqual(tools.lookup_region.__name__, "lookup_region")
        self.assertIn("def lookup_region(code: str, limit: int = 10):", tools.__doc__)

    def test_every_way_to_import(self):
        door = Door()
        tools = self.serve(door)
        import host.tools
        from host.tools import lookup_region

        namespace = {}
        exec("from host.tools import *", namespace)
        self.assertIs(host.tools, tools)
        self.assertIs(lookup_region, tools.lookup_region)
        self.assertIs(namespace["echo"], tools.echo)
        self.assertEqual(len(door.requests), 1)
        with self.assertRaises(ImportError):
            from host.tools import nothing_there  # noqa: F401

    def test_names_that_python_modules_use(self):
        names = ["json", "sys", "discover", "name", "ask", "exec", "keys"]
        tools = self.serve(Door([{**ECHO, "name": name} for name in names]))
        self.assertEqual([getattr(tools, name)(x=1) for name in names], [{"x": 1}] * len(names))

    def test_a_wrong_name_is_helped(self):
        tools = self.serve(Door())
        with self.assertRaises(AttributeError) as caught:
            tools.lookup_regio
        self.assertEqual(
            str(caught.exception),
            "the host has no tool 'lookup_regio'; did you mean lookup_region? (its tools: lookup_region, echo)",
        )
        self.assertFalse(hasattr(tools, "anything"))

    def test_no_tools_at_all(self):
        tools = self.serve(Door([]))
        self.assertEqual(dir(tools), [])
        with self.assertRaisesRegex(AttributeError, "its tools: none"):
            tools.anything

    def test_nothing_answers(self):
        import host

        self.assertTrue(issubclass(host.ToolDenied, host.ToolError))
        with self.assertRaises(ImportError) as caught:
            from host import tools  # noqa: F401
        self.assertEqual(caught.exception.name, "host.tools")
        self.assertNotIn("host.tools", sys.modules)
        # A later try may find a host.
        self.assertEqual(dir(self.serve(Door())), ["echo", "lookup_region"])

    def test_discovery_refused(self):
        refusal = b'{"v":1,"id":1,"ok":false,"error":{"kind":"budget_exceeded","message":"used up"}}'
        with self.assertRaisesRegex(ImportError, "used up"):
            self.serve(lambda request: refusal)

    def test_lists_that_cannot_be_read(self):
        for tools in ({}, [1], [{"name": "x"}], [{"name": 5, "inputSchema": {}}], "tools", None):
            forget_host()
            with self.subTest(tools), self.assertRaises(ImportError):
                self.serve(Door(tools))


class Arguments(WithDoor):
    def test_by_position_and_by_name(self):
        door = Door()
        tools = self.serve(door)
        self.assertEqual(tools.lookup_region("EMEA"), {"code": "EMEA"})
        self.assertEqual(tools.lookup_region("EMEA", 5), {"code": "EMEA", "limit": 5})
        self.assertEqual(tools.lookup_region(limit=5, code="EMEA"), {"limit": 5, "code": "EMEA"})
        self.assertEqual(door.last["tool"], "lookup_region")
        self.assertEqual(door.last["v"], 1)

    def test_names_of_python_are_fine(self):
        tools = self.serve(Door())
        given = {"self": 1, "name": 2, "args": 3, "kwargs": 4, "order": 5}
        self.assertEqual(tools.echo(**given), given)

    def test_what_needs_no_host(self):
        door = Door()
        tools = self.serve(door)
        from host import ToolArgumentError

        for call in (lambda: tools.lookup_region(1, 2, 3), lambda: tools.lookup_region(1, code=2), lambda: tools.echo(1)):
            with self.assertRaises(ToolArgumentError) as caught:
                call()
            self.assertEqual(caught.exception.kind, "invalid_arguments")
            self.assertIsInstance(caught.exception, TypeError)
        self.assertEqual(len(door.requests), 1)

    def test_the_host_judges_the_rest(self):
        door = Door()
        self.serve(door).lookup_region(wrong=True)
        self.assertEqual(door.last["args"], {"wrong": True})

    def test_values_that_cannot_cross(self):
        door = Door()
        tools = self.serve(door)
        from host import ToolArgumentError, ToolProtocolError

        deep, round_about = [], []
        for _ in range(1000):
            deep = [deep]
        round_about.append(round_about)
        for value in ({1, 2}, object(), 1j, {1: 2}, {"a": {None: 1}}, [{"b": print}]):
            with self.subTest(value), self.assertRaises(ToolArgumentError):
                tools.echo(value=value)
        for value in (float("nan"), [float("inf")], "\ud800", {"\udfff": 1}, 10**5000, deep, round_about):
            with self.subTest(str(type(value))), self.assertRaises(ToolProtocolError):
                tools.echo(value=value)
        self.assertEqual(len(door.requests), 1)

    def test_bytes_and_integers_both_ways(self):
        tools = self.serve(Door())
        data = bytes(range(256))
        self.assertEqual(tools.echo(a=data, b=[bytearray(b"x"), memoryview(b"")], c=(1, 2)), {"a": data, "b": [b"x", b""], "c": [1, 2]})
        for number in (0, -1, 2**53 + 1, -(10**62)):
            self.assertEqual(tools.echo(n=number)["n"], number)
        self.assertEqual(tools.echo(deep=[[[[1.5, None, True]]]], text="Grüße 🎈"), {"deep": [[[[1.5, None, True]]]], "text": "Grüße 🎈"})

    def test_an_integer_of_any_size_in_an_answer(self):
        digits = "9" * 20_000
        answer = lambda frame: f'{{"v":1,"id":{frame["id"]},"ok":true,"value":[-{digits},{digits},7]}}'.encode()
        value = self.serve(Door(answer=answer)).echo()
        self.assertEqual(value, [-(10**20_000 - 1), 10**20_000 - 1, 7])

    def test_frames_are_compact_utf8(self):
        door = Door()
        self.serve(door).echo(text="é", more=[1, {"a": 2}])
        self.assertRegex(
            door.requests[-1].decode(),
            r'^\{"v":1,"id":\d+,"op":"call","tool":"echo","args":\{"text":"é","more":\[1,\{"a":2\}\]\}\}$',
        )


class Errors(WithDoor):
    SECOND = {
        "unknown_tool": ("ToolArgumentError", TypeError),
        "invalid_arguments": ("ToolArgumentError", TypeError),
        "denied": ("ToolDenied", PermissionError),
        "timeout": ("ToolTimeout", TimeoutError),
        "protocol": ("ToolProtocolError", Exception),
        "tool_error": ("ToolError", Exception),
        "cancelled": ("ToolCancelled", Exception),
        "too_large": ("ToolTooLarge", Exception),
        "budget_exceeded": ("ToolBudgetExceeded", Exception),
        "of_a_later_version": ("ToolError", Exception),
    }

    def test_classes(self):
        for kind, (name, second) in self.SECOND.items():
            forget_host()
            error = {"v": 1, "id": None, "ok": False, "error": {"kind": kind, "message": "said so"}}
            tools = self.serve(Door(answer=lambda frame: json.dumps(error).encode()))
            import host

            with self.subTest(kind), self.assertRaises(host.ToolError) as caught:
                tools.echo()
            raised = caught.exception
            self.assertIs(type(raised), getattr(host, name))
            self.assertIsInstance(raised, second)
            self.assertEqual((raised.kind, raised.message, str(raised)), (kind, "said so", "said so"))
            again = pickle.loads(pickle.dumps(raised))
            self.assertEqual((type(again), again.kind, str(again)), (type(raised), kind, "said so"))

    def test_a_program_can_raise_them(self):
        import host

        error = host.ToolDenied("no")
        self.assertEqual((error.kind, error.message, error.errno), ("denied", "no", None))
        self.assertEqual(host.ToolArgumentError("x").kind, "invalid_arguments")
        self.assertEqual(repr(host.ToolTimeout("late")), "ToolTimeout('late')")
        self.assertEqual(host.ToolError.__module__, "host")

    def test_vectors(self):
        for vector in VECTORS:
            forget_host()
            answer = lambda frame: vector["answer"].replace("$ID", str(frame["id"])).encode()
            door = Door(answer=answer)
            tools = self.serve(door)
            import host

            given = json.loads(vector.get("args", "{}"), object_hook=as_bytes)
            with self.subTest(vector["name"]):
                if "prints" in vector:
                    expected = json.loads(vector["prints"], object_hook=as_bytes)
                    self.assertEqual(repr(tools.echo(**given)), repr(expected))
                else:
                    with self.assertRaises(host.ToolError) as caught:
                        tools.echo(**given)
                    self.assertEqual(caught.exception.kind, vector["kind"])
                    self.assertEqual(caught.exception.message, vector.get("message", caught.exception.message))
                self.assertEqual(repr(door.last["args"]), repr(json.loads(vector.get("args", "{}"))))


def as_bytes(members):
    import base64

    return base64.b64decode(members["$bytes"]) if list(members) == ["$bytes"] else members


class OverADevice(WithDoor):
    """The device is the other end of a pseudo terminal here: one file, written and read, as in the guest."""

    def device(self, answer):
        near, far = pty.openpty()
        tty.setraw(near)
        tty.setraw(far)
        self.addCleanup(os.close, far)

        def loop():
            pending = b""
            while True:
                try:
                    pending += os.read(near, 65536)
                except OSError:
                    return
                while b"\n" in pending:
                    line, _, pending = pending.partition(b"\n")
                    rest = memoryview(answer(line) + b"\n")
                    while rest:
                        rest = rest[os.write(near, rest[:1000]) :]

        threading.Thread(target=loop, daemon=True).start()
        os.environ["HOST_DOOR"] = os.ttyname(far)

    def test_calls(self):
        self.device(Door())
        from host import tools

        self.assertEqual(tools.lookup_region("EMEA"), {"code": "EMEA"})
        text = "x" * 200_000
        self.assertEqual(tools.echo(text=text), {"text": text})
        self.assertEqual(tools.echo(n=1), {"n": 1})

    def test_a_built_in_door_that_nobody_serves_does_not_hide_it(self):
        def closed(request):
            raise OSError("door answered -1")

        self.device(Door())
        self.assertEqual(self.serve(closed).lookup_region("x"), {"code": "x"})

    def test_http(self):
        requests = []
        answers = [
            {"ok": {"status": 200, "headers": {"content-type": "application/json"}, "body": {"type": "inline", "text": "[1]"}}},
            {"ok": {"status": 404, "headers": {}, "body": {"type": "file", "path": "/out", "bytes": 7}}},
            {"error": {"kind": "timeout", "message": "too late"}},
            "what?",
        ]

        def answer(line):
            requests.append(json.loads(line))
            return json.dumps(answers[len(requests) - 1]).encode()

        self.device(answer)
        os.environ["HOST_HTTP"] = os.environ.pop("HOST_DOOR")
        self.addCleanup(os.environ.pop, "HOST_HTTP")
        from host import http

        first = http.post("https://a.example/", headers={"X-One": "1"}, json={"a": 1}, timeout_ms=5, follow_redirects=False)
        self.assertEqual((first.status, first.ok, first.json(), first.headers), (200, True, [1], {"content-type": "application/json"}))
        second = http.get("https://a.example/", save_to="/out")
        self.assertEqual((second.status, second.ok, second.path, second.size), (404, False, "/out", 7))
        self.assertRaises(ValueError, second.json)
        with self.assertRaises(http.HttpError) as caught:
            http.request("PUT", "https://a.example/", file="/in")
        self.assertEqual((caught.exception.kind, caught.exception.message), ("timeout", "too late"))
        with self.assertRaises(http.HttpError) as caught:
            http.get("https://a.example/", headers={})
        self.assertEqual(caught.exception.kind, "abi")
        self.assertEqual(
            requests,
            [
                {
                    "method": "POST",
                    "url": "https://a.example/",
                    "headers": {"x-one": "1"},
                    "body": {"type": "json", "json": {"a": 1}},
                    "follow_redirects": False,
                    "timeout_ms": 5,
                },
                {"method": "GET", "url": "https://a.example/", "output": {"type": "file", "path": "/out"}},
                {"method": "PUT", "url": "https://a.example/", "body": {"type": "file", "path": "/in"}},
                {"method": "GET", "url": "https://a.example/"},
            ],
        )
        self.assertRaises(TypeError, http.get, "https://a.example/", text="a", json=1)
        with self.assertRaises(ImportError):
            from host import tools  # noqa: F401

    def test_http_without_a_host(self):
        from host import http

        with self.assertRaises(http.HttpError) as caught:
            http.get("https://a.example/")
        self.assertEqual(caught.exception.kind, "abi")


class BrokenDevice(WithDoor):
    def test_an_answer_that_ends_early_does_not_reach_the_next_call(self):
        from host._device import Device

        device = Device("/nowhere")
        steps = []

        class Ended(Exception):
            pass

        def read(fd, size):
            steps.append(f"read {fd}")
            raise Ended

        module = importlib.import_module("host._device")
        module.os = types.SimpleNamespace(
            O_RDWR=2,
            open=lambda path, flags: steps.append("open") or 7,
            write=lambda fd, data: len(data),
            read=read,
            close=lambda fd: steps.append(f"close {fd}"),
        )
        for _ in range(2):
            self.assertRaises(Ended, device.call, b"{}")
        self.assertEqual(steps, ["open", "read 7", "close 7"] * 2)
        module.os.read = lambda fd, size: b""
        self.assertRaisesRegex(OSError, "no answer", device.call, b"{}")


if __name__ == "__main__":
    unittest.main()
