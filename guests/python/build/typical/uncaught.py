def inner(values):
    return values["missing"]


def outer():
    try:
        inner({})
    except KeyError as error:
        raise ValueError(f"no {error}") from error


outer()
