# CPython runs in a worker of this page, and `host` brings functions
# of the page to it. Ctrl+Enter (Cmd+Enter on a Mac) runs this.
import sys
from host import tools, ToolDenied

print("Hello from Python", sys.version.split()[0])

# An async function of the page: here it is an ordinary call.
offices = {}
for code in ("EMEA", "APAC", "LATAM"):
    region = tools.lookup_region(code)
    offices[code] = region["offices"]
    print(f"{code:6}{region['name']}, {region['offices']} offices")

# Functions that change the page: watch the lamps and the chart.
tools.clear_lamps()
for x in range(24):
    tools.light_lamp(x, 2, "green" if x % 2 else "amber")

tools.draw_chart("Offices", list(offices), list(offices.values()))

# This one stands behind a gate: it runs only if you allow it.
try:
    order = tools.place_order("wall map", quantity=2)
    print(f"Order {order['order']} is placed")
except ToolDenied as error:
    print("No order:", error)
