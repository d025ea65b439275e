# What a tool's function shows of itself, from its descriptor: signature and docstring; runs in a Python guest.
#
# The texts are those that the page renders for a prompt (stubs()), so a model finds what it was told.

import json
import keyword

# How many levels of a schema a type shows; below that it is Any.
_LEVELS = 6
_TYPES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}


class _Text(str):
    """The text of a type or default; shown without quotes."""

    __slots__ = ()
    __repr__ = str.__str__


class Shape:
    """.order: parameters that can be given by position, .line: the def line, .doc, .carrier: has the signature."""

    def __init__(self, descriptor):
        name, schema, output = descriptor["name"], descriptor["inputSchema"], descriptor.get("outputSchema")
        root = _follow(schema, schema)
        # As in any signature, what may be left out comes last.
        members = sorted(_members(root), key=lambda member: not member[2])
        self.order = [key for key, _, _ in members]
        types = {key: _Text(_type(member, schema)) for key, member, _ in members}
        defaults = {key: _default(member) for key, member, needed in members if not needed}
        rest = [_rest_name(self.order)] if _is_open(root) else []
        shown = [f"{key}: {types[key]}" + (f" = {defaults[key]}" if key in defaults else "") for key in self.order]
        if output is not None:
            types["return"] = _Text(_type(output, output))
        arrow = f" -> {types['return']}" if output is not None else ""
        self.line = f"def {name}({', '.join(shown + rest)}){arrow}:"
        self.doc = _doc(descriptor, members, schema)
        self.carrier = _carrier(name, self.order + rest, tuple(defaults.values()), types)


def _carrier(name, parameters, defaults, annotations):
    namespace = {"__name__": "host.tools"}
    # Names are checked: identifiers, and no keywords.
    exec(f"def carrier({', '.join(parameters)}): pass", namespace)
    carrier = namespace["carrier"]
    carrier.__name__ = carrier.__qualname__ = name
    carrier.__defaults__ = defaults
    carrier.__annotations__ = annotations
    return carrier


def _doc(descriptor, members, document):
    lines = []
    for key, member, _ in members:
        parts = [part for part in (_description(member), _keys(member, document)) if part]
        if parts:
            lines.append(f"{key}: {'; '.join(parts)}")
    parts = (descriptor.get("description", "").strip(), "\n".join(lines))
    return "\n\n".join(part for part in parts if part)


def _description(schema):
    text = schema.get("description") if isinstance(schema, dict) else None
    return " ".join(text.split()) if isinstance(text, str) else ""


def _keys(schema, document):
    """The keys that a dict (or each dict of a list) has, since its type does not say."""
    schema, each = _follow(document, schema), ""
    while isinstance(schema, dict) and schema.get("type") == "array":
        schema, each = _follow(document, schema.get("items")), "each with "
    members = [
        f"{key} ({_type(member, document)}{'' if needed else ', optional'})"
        for key, member, needed in _members(schema, names_only=False)
    ]
    return f"{each}keys {', '.join(members)}" if members else ""


def _members(schema, names_only=True):
    """(name, schema, required) of each property; those of a function have to be names that Python can write."""
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(properties, dict):
        return []
    required = schema.get("required") or ()
    return [
        (key, member, key in required)
        for key, member in properties.items()
        if not names_only or (key.isidentifier() and not keyword.iskeyword(key))
    ]


def _is_open(schema):
    if not isinstance(schema, dict):
        return False
    return schema.get("additionalProperties", "properties" not in schema) is not False


def _rest_name(taken):
    name = "**more"
    while name[2:] in taken:
        name += "_"
    return name


def _default(schema):
    return _Text(_literal_text(schema["default"]) if isinstance(schema, dict) and "default" in schema else "...")


def _literal_text(value):
    """A JSON value as Python source."""
    if isinstance(value, list):
        return f"[{', '.join(map(_literal_text, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_literal_text(key)}: {_literal_text(item)}' for key, item in value.items())}}}"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)


def _follow(document, schema):
    """The schema behind a chain of local references."""
    for _ in range(8):
        if not isinstance(schema, dict) or not isinstance(schema.get("$ref"), str):
            return schema
        target = document
        for step in schema["$ref"].split("/")[1:]:
            target = target.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(target, dict) else None
        schema = target
    return None


def _type(schema, document, level=0):
    """A type's text, such as "list[str]"."""
    schema = _follow(document, schema)
    if not isinstance(schema, dict) or level > _LEVELS:
        return "Any"
    values = schema.get("enum", [schema["const"]] if "const" in schema else [])
    if values and all(value is None or isinstance(value, (str, int)) for value in values):
        return f"Literal[{', '.join(map(_literal_text, values))}]"
    branches = schema.get("anyOf", schema.get("oneOf"))
    if isinstance(branches, list):
        return _union(_type(branch, document, level + 1) for branch in branches)
    kind = schema.get("type")
    if isinstance(kind, list):
        return _union(_type({**schema, "type": one}, document, level + 1) for one in kind)
    if kind == "array":
        return f"list[{_type(schema.get('items'), document, level + 1)}]"
    if kind == "object":
        values = None if schema.get("properties") else schema.get("additionalProperties")
        return f"dict[str, {_type(values, document, level + 1)}]"
    if kind == "string" and schema.get("contentEncoding") == "base64":
        return "bytes"
    return _TYPES.get(kind, "Any")


def _union(types):
    distinct = list(dict.fromkeys(types))
    return "Any" if "Any" in distinct else " | ".join(distinct)
