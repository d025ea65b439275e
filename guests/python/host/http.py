# HTTP through the page, over its device file; runs in a Python guest.
"""Send HTTP requests through the page, to the hosts that the page allows.

    from host import http

    answer = http.request("POST", "https://api.example.com/orders", json={"order": 1042})
    print(answer.status, answer.json())

A request that could not be made raises HttpError, whose .kind says why (such as "host_not_allowed" or "timeout"); an
answer with any status is an answer.
"""

import json as _json
import os as _os

from ._device import Device as _Device

__all__ = ["HttpError", "Response", "get", "post", "request"]

_device = None


class HttpError(OSError):
    """The request was not made, or not finished. .kind says why, .message what the host said."""

    def __init__(self, kind, message):
        super().__init__(f"{message} ({kind})")
        self.kind = kind
        self.message = message

    def __reduce__(self):
        return type(self), (self.kind, self.message)


class Response:
    """An answer: .status, .headers (lowercase names), and .text, or .path and .size of a body saved to a file."""

    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers
        self.text = body.get("text")
        self.path = body.get("path")
        self.size = body.get("bytes")

    @property
    def ok(self):
        """Whether the status is one of 200 to 299."""
        return 200 <= self.status < 300

    def json(self):
        """The text, read as JSON."""
        if self.text is None:
            raise ValueError(f"the body was saved to {self.path}")
        return _json.loads(self.text)

    def __repr__(self):
        return f"<Response {self.status}>"


def request(
    method,
    url,
    *,
    headers=None,
    text=None,
    json=None,
    file=None,
    save_to=None,
    follow_redirects=True,
    timeout_ms=None,
):
    """Sends a request and returns its Response.

    The body is `text`, or `json` (any JSON value), or the contents of `file` (a path of the guest). `save_to` is a path
    of the guest that the answer's body goes to; without it the body has to be text of at most 256 KiB.
    """
    document = {"method": method, "url": url}
    bodies = [
        {"type": name, field: value}
        for name, field, value in (("text", "text", text), ("json", "json", json), ("file", "path", file))
        if value is not None
    ]
    if len(bodies) > 1:
        raise TypeError("give one of text, json and file")
    if bodies:
        document["body"] = bodies[0]
    if headers:
        document["headers"] = {name.lower(): value for name, value in headers.items()}
    if save_to is not None:
        document["output"] = {"type": "file", "path": save_to}
    if not follow_redirects:
        document["follow_redirects"] = False
    if timeout_ms is not None:
        document["timeout_ms"] = timeout_ms
    return _response(_exchange(document))


def get(url, **options):
    """request("GET", url, ...)"""
    return request("GET", url, **options)


def post(url, **options):
    """request("POST", url, ...)"""
    return request("POST", url, **options)


def _exchange(document):
    global _device
    line = _json.dumps(document, allow_nan=False, separators=(",", ":")).encode()
    if _device is None:
        _device = _Device(_os.environ.get("HOST_HTTP") or "/dev/http")
    try:
        answer = _device.call(line)
    except OSError as error:
        raise HttpError("abi", f"the host does not answer: {error}") from error
    try:
        return _json.loads(answer)
    except ValueError as error:
        raise HttpError("abi", f"the answer cannot be read: {error}") from None


def _response(answer):
    try:
        if "ok" in answer:
            ok = answer["ok"]
            return Response(ok["status"], ok["headers"], ok["body"])
        error = answer["error"]
        raised = HttpError(error["kind"], error["message"])
    except (KeyError, TypeError):
        raise HttpError("abi", "the answer has neither a response nor an error") from None
    raise raised
