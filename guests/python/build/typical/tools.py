import asyncio
import gc
import sys

from host import ToolError, tools

gc.collect()  # it looks at objects of every type there is, and comes whenever it wants
print(tools.lookup_region(code="EMEA"))
print(dir(tools))
try:
    tools.absent()
except (AttributeError, ToolError) as error:
    print(error)
for call in (lambda: tools.lookup_region("ATLANTIS"), lambda: tools.lookup_region(5, 6), lambda: tools.lookup_region(code={1})):
    try:
        call()
    except ToolError as error:
        print(error.kind, error, repr(error))
help(tools.lookup_region)
print(input("name? "), sys.stdin.read())
for line in open("/data.csv", encoding="utf-8"):
    print(line.rstrip().split(","))
with open("/out.bin", "wb") as file:
    file.write(bytes(range(256)) * 10)


async def main():
    await asyncio.gather(*(asyncio.sleep(0.001 * n) for n in range(3)))
    async with asyncio.timeout(1):
        await asyncio.to_thread(print, "x") if False else print("y")
    gc.collect()


asyncio.run(main())
gc.collect()
