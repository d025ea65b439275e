# Frames of tool protocol v1: requests written, answers checked; runs in a Python guest.

import binascii
import json

from . import _door
from ._errors import ToolArgumentError, ToolProtocolError, error_of

_VERSION = 1
# Levels left for a frame's arguments: 64 in all, two of them the frame's and the arguments' own.
_DEPTH = 62
_last_id = 0


def ask(operation, result):
    """Sends an operation such as {"op": "list"} and returns the answer's member `result`; ToolError otherwise."""
    global _last_id
    _last_id += 1
    frame = {"v": _VERSION, "id": _last_id, **operation}
    try:
        answer = _door.exchange(_encode(frame))
    except OSError as error:
        raise ToolProtocolError(f"the host does not answer: {error}") from error
    return _result(_decode(answer), _last_id, result)


def _encode(frame):
    try:
        text = json.dumps(frame, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return text.encode()
    except UnicodeEncodeError:
        raise ToolProtocolError("a string holds a lone surrogate") from None
    except ValueError as error:
        # NaN, an infinity, or an integer of thousands of digits.
        raise ToolProtocolError(str(error)) from None


def plain(value, name, depth=0):
    """The value with bytes as {"$bytes": ...}; ToolArgumentError for what JSON has no word for. `name` is for messages."""
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, (bytes, bytearray, memoryview)):
        return {"$bytes": binascii.b2a_base64(value, newline=False).decode()}
    if depth == _DEPTH:
        raise ToolProtocolError(f"{name} is nested more than {_DEPTH} levels deep")
    if isinstance(value, (list, tuple)):
        return [plain(item, name, depth + 1) for item in value]
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str):
                raise ToolArgumentError(f"{name} has a key that is not a str but a {type(key).__name__}")
        return {key: plain(item, name, depth + 1) for key, item in value.items()}
    raise ToolArgumentError(f"{name} cannot be sent to the host: it has a {type(value).__name__} in it")


def _decode(answer):
    try:
        text = answer.decode()
        try:
            return json.loads(text, object_hook=_bytes, parse_constant=_no_constant)
        except ValueError as error:
            if "integer string conversion" not in str(error):
                raise
            return json.loads(text, object_hook=_bytes, parse_constant=_no_constant, parse_int=_integer)
    except (ValueError, RecursionError) as error:
        raise ToolProtocolError(f"the answer cannot be read: {error}") from None


def _bytes(members):
    if len(members) != 1 or "$bytes" not in members:
        return members
    encoded = members["$bytes"]
    if not isinstance(encoded, str) or len(encoded) % 4:
        raise ValueError("$bytes is no base64")
    return binascii.a2b_base64(encoded, strict_mode=True) if encoded else b""


def _no_constant(name):
    raise ValueError(f"{name} is no JSON")


def _integer(digits):
    # int() alone refuses more than 4,300 digits.
    if len(digits) <= 4000:
        return int(digits)
    if digits[0] == "-":
        return -_integer(digits[1:])
    half = len(digits) // 2
    return _integer(digits[:-half]) * 10**half + _integer(digits[-half:])


def _result(answer, frame_id, result):
    if not isinstance(answer, dict):
        raise ToolProtocolError("the answer is no object")
    if type(answer.get("v")) is not int or answer["v"] != _VERSION:
        raise ToolProtocolError("the answer has another version")
    ok, echoed = answer.get("ok"), answer.get("id")
    # A frame that the host could not read is answered with the id null.
    if (type(echoed) is not int or echoed != frame_id) and (ok is not False or echoed is not None):
        raise ToolProtocolError("the answer is to another frame")
    if ok is True and result in answer:
        return answer[result]
    error = answer.get("error")
    if ok is False and isinstance(error, dict):
        kind, message = error.get("kind"), error.get("message")
        if isinstance(kind, str) and isinstance(message, str):
            raise error_of(kind, message)
    raise ToolProtocolError("the answer has neither a result nor an error")
