# Runs the vectors through the package `host` and prints an outcome a line; runs in any Python guest.
import base64
import json
import sys

from host import ToolError, tools


def from_json(members):
    return base64.b64decode(members["$bytes"]) if list(members) == ["$bytes"] else members


def to_json(value):
    return {"$bytes": base64.b64encode(value).decode()}


with open(sys.argv[1], encoding="utf-8") as file:
    vectors = json.load(file)
for vector in vectors:
    arguments = json.loads(vector.get("args", "{}"), object_hook=from_json)
    try:
        value = tools.echo(**arguments)
    except ToolError as error:
        print(f"error {error.kind}: {error}")
    else:
        print("value", json.dumps(value, default=to_json, ensure_ascii=False, separators=(",", ":")))
