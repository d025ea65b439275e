# place_order stands behind a gate: the page asks you first. A refusal
# is an exception here, so a program can live with it.
from host import tools, ToolDenied

WISHES = [("wall map", 1), ("compass", 3), ("signal lamp", 12)]

placed, refused = [], []
for item, quantity in WISHES:
    try:
        receipt = tools.place_order(item, quantity)
    except ToolDenied as error:
        refused.append(item)
        print(f"{item}: {error}")
    else:
        placed.append(receipt["order"])
        print(f"{item}: order {receipt['order']}, {receipt['total']:.2f} in all")

print(f"{len(placed)} placed, {len(refused)} refused")
