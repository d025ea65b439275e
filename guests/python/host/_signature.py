# The signature of a tool's function, from its input schema; runs in a Python guest.

import keyword

# How deep types are spelled out; below that they are Any.
_DEPTH = 6


class _Type(str):
    """The text of a type; shown without quotes."""

    __slots__ = ()
    __repr__ = str.__str__


class _Omitted:
    """The default of an argument that is left out of the call."""

    __slots__ = ()

    def __repr__(self):
        return "..."


_omitted = _Omitted()


def signature_of(name, schema, output_schema):
    """The def line, a function that carries the signature, and the names that may be given by position."""
    root = _resolved(schema, schema)
    properties = root.get("properties") or {}
    required = root.get("required") or ()
    order = [key for key in properties if _is_name(key)]
    parameters = [(key, _type(properties[key], schema), key in required) for key in order]
    rest = _rest(root, properties)
    returns = _Type("Any" if output_schema is None else _type(output_schema, output_schema))
    shown = ", ".join(_parameters(parameters, rest, typed=True))
    line = f"def {name}({shown}) -> {returns}"
    return line, _carrier(name, parameters, rest, returns), order


def _carrier(name, parameters, rest, returns):
    source = ", ".join(_parameters(parameters, rest, typed=False))
    namespace = {"__name__": "host.tools", "_omitted": _omitted}
    # The names were checked: they are identifiers and no keywords.
    exec(f"def carrier({source}): pass", namespace)
    carrier = namespace["carrier"]
    carrier.__name__ = carrier.__qualname__ = name
    carrier.__annotations__ = {key: _Type(text) for key, text, _ in parameters} | {"return": returns}
    return carrier


def _parameters(parameters, rest, typed):
    """The texts between the parentheses. What is required after something optional can only be given by name."""
    texts, optional, by_name = [], False, False
    for key, type_text, needed in parameters:
        if needed and optional and not by_name:
            texts.append("*")
            by_name = True
        optional = optional or not needed
        text = f"{key}: {type_text}" if typed else key
        if not needed:
            text += " = ..." if typed else "=_omitted"
        texts.append(text)
    return [*texts, rest] if rest else texts


def _rest(root, properties):
    """`**more` where the schema takes names that it does not list."""
    additional = root.get("additionalProperties", not properties)
    return "" if additional is False else "**" + _unused("more", properties)


def _unused(name, taken):
    while name in taken:
        name += "_"
    return name


def _is_name(key):
    return key.isidentifier() and not keyword.iskeyword(key)


def _resolved(schema, root, hops=8):
    """The schema itself, or what its local $ref points to."""
    while isinstance(schema, dict) and isinstance(schema.get("$ref"), str) and hops:
        hops -= 1
        target = root
        for step in schema["$ref"].split("/")[1:]:
            step = step.replace("~1", "/").replace("~0", "~")
            target = target.get(step) if isinstance(target, dict) else None
        schema = target
    return schema if isinstance(schema, dict) else {}


def _type(schema, root, depth=0):
    """A type's text, such as "list[str]"."""
    schema = _resolved(schema, root)
    if depth == _DEPTH:
        return "Any"
    if "const" in schema:
        return _literal([schema["const"]])
    if isinstance(schema.get("enum"), list):
        return _literal(schema["enum"])
    for key in ("anyOf", "oneOf"):
        if isinstance(schema.get(key), list):
            return _union([_type(item, root, depth + 1) for item in schema[key]])
    kinds = schema.get("type")
    if isinstance(kinds, list):
        return _union([_type({**schema, "type": kind}, root, depth + 1) for kind in kinds])
    return _simple(kinds, schema, root, depth)


def _simple(kind, schema, root, depth):
    if kind == "string":
        return "bytes" if schema.get("contentEncoding") == "base64" else "str"
    if kind == "array":
        items = schema.get("items")
        return f"list[{_type(items, root, depth + 1)}]" if isinstance(items, dict) else "list"
    if kind == "object":
        values = schema.get("additionalProperties")
        if isinstance(values, dict) and not schema.get("properties"):
            return f"dict[str, {_type(values, root, depth + 1)}]"
        return "dict"
    return {"integer": "int", "number": "float", "boolean": "bool", "null": "None"}.get(kind, "Any")


def _literal(values):
    if values and all(value is None or isinstance(value, (str, int)) for value in values):
        return f"Literal[{', '.join(map(repr, values))}]"
    return "Any"


def _union(texts):
    if not texts or "Any" in texts:
        return "Any"
    return " | ".join(dict.fromkeys(texts))
