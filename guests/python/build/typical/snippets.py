# Short programs as people write them, each in a namespace of its own; one that fails shows its traceback, as it would alone.
import gc
import traceback

PROGRAMS = {
    "life": r"""
import random
W=20;g={(random.randrange(W),random.randrange(W)) for _ in range(120)}
for _ in range(20):
    n={}
    for x,y in g:
        for dx in(-1,0,1):
            for dy in(-1,0,1):
                if dx or dy: n[x+dx,y+dy]=n.get((x+dx,y+dy),0)+1
    g={c for c,k in n.items() if k==3 or k==2 and c in g}
print(len(g))
""",
    "primes": r"""
print([n for n in range(2,100) if all(n%d for d in range(2,int(n**.5)+1))])
""",
    "words": r"""
from collections import Counter
import string
text='''the quick brown fox. The lazy dog!'''
print(Counter(w.strip(string.punctuation).lower() for w in text.split()).most_common(3))
""",
    "matrix": r"""
from fractions import Fraction as F
A=[[F(2),F(1)],[F(1),F(3)]]
d=A[0][0]*A[1][1]-A[0][1]*A[1][0]
print(d, [[str(x/d) for x in r] for r in A])
""",
    "bank": r"""
class Acc:
    def __init__(self,b=0): self.b=b
    def w(self,n):
        if n>self.b: raise ValueError('poor')
        self.b-=n
a=Acc(5)
try: a.w(9)
except ValueError as e: print(e)
else: print('ok')
finally: print(a.b)
""",
    "turtle": r"""
import math
for i in range(0,360,30): print(f'{math.cos(math.radians(i)):+.3f} {math.sin(math.radians(i)):+.3f}')
""",
    "csvp": r"""
import csv,io,statistics
r=list(csv.DictReader(io.StringIO('a,b\n1,2\n3,4\n')))
print(statistics.mean(int(x['b']) for x in r))
""",
    "dates": r"""
import datetime as d
print([(d.date(2024,1,31)+d.timedelta(days=i)).strftime('%d.%m.%y') for i in range(5)], d.datetime.now(d.timezone.utc).isoformat()[:4]>'2000')
""",
    "gen": r"""
def fib():
    a,b=0,1
    while True:
        yield a
        a,b=b,a+b
import itertools
print(list(itertools.islice(fib(),30)))
""",
    "regex": r"""
import re
log='2024-01-02 ERROR x=5; 2024-01-03 WARN y=7'
for m in re.finditer(r'(\d+)-(\d+)-(\d+) (?P<l>[A-Z]+) (\w)=(\d+)',log): print(m.groupdict(), m.group(0), m.start())
""",
    "json2": """
import json
print(json.dumps(json.loads('{"a":[1,2,{"b":null}],"c":1.5e3,"d":"\\\u00fc"}'),indent=2,ensure_ascii=False))
""",
    "html": r"""
from html.parser import HTMLParser
class P(HTMLParser):
    def handle_starttag(self,t,a): print(t,a)
P().feed('<a href="x">b</a>')
""",
    "xml": r"""
import xml.etree.ElementTree as E
r=E.fromstring('<a x="1"><b>t</b></a>'); print(r.get('x'), r.find('b').text)
""",
    "b64": r"""
import base64,hashlib; print(base64.b64encode(hashlib.sha1(b'x').digest()))
""",
    "enumx": r"""
from enum import Enum
class C(Enum):
    A=1
    B=2
print(C.A, C(2), list(C), C.A.name)
""",
    "typing": r"""
from typing import TypedDict, Protocol, Generic, TypeVar, NamedTuple, Optional
T=TypeVar('T')
class S(Generic[T]):
    pass
class N(NamedTuple):
    x:int
class D(TypedDict):
    a:int
print(S[int], N(1), D(a=1), Optional[int])
""",
    "fmt": """
from string import Template
print(Template('$a $b').substitute(a=1,b=2), '%08.3f|%-10s|%+d|%o'%(3.14159,'x',5,8), f'{1e6:,.0f} {0.5:.0%} {"\u00e9":^5}')
""",
    "sortx": r"""
print(sorted([('b',2),('a',3)],key=lambda t:(-t[1],t[0])), sorted('Hello',key=str.lower), max({'a':1,'b':2}.items(),key=lambda kv:kv[1]))
""",
    "dec": r"""
from decimal import Decimal as D, getcontext
getcontext().prec=30
print(D(1)/D(7), D('2').sqrt(), D('1.10').quantize(D('.1')))
""",
    "ctx": r"""
from contextlib import contextmanager
@contextmanager
def c():
    print('in'); yield 1; print('out')
with c() as x: print(x)
""",
    "thr": r"""
import threading
try: threading.Thread(target=print).start()
except RuntimeError as e: print(e)
""",
    "heap": r"""
import heapq
g={'a':{'b':1,'c':4},'b':{'c':2},'c':{}}
d={'a':0};q=[(0,'a')]
while q:
    c,n=heapq.heappop(q)
    for m,w in g[n].items():
        if c+w<d.get(m,9e9): d[m]=c+w; heapq.heappush(q,(c+w,m))
print(d)
""",
    "np": r"""
import numpy
""",
    "input": r"""
n=input('n? ')
print(n*2)
""",
    "syn": r"""
print('a'
""",
    "ind": r"""
if 1:
print(1)
""",
    "unb": r"""
def f():
    x+=1
f()
""",
    "key": r"""
{}['a']
""",
    "zip": r"""
print(*zip([1,2],'ab'), sep='\n')
""",
    "mp": r"""
print(list(map(int,'1 2 3'.split())), sum(map(len,['a','bb'])), any(x>2 for x in [1,3]), [*filter(str.isdigit,'a1')])
""",
    "uni": """
import unicodedata; print(unicodedata.name('\u00e9'))
""",
    "pick": r"""
import pickle; print(pickle.loads(pickle.dumps({'a':{1,2},'b':(1,'x',b'y',2.5,None)})))
""",
    "cop": r"""
import copy; print(copy.deepcopy({'a':[1,{2}]}))
""",
    "tmp": r"""
import tempfile,os,shutil
with tempfile.TemporaryDirectory() as d:
    p=os.path.join(d,'a'); open(p,'w').write('x'*1000); print(os.path.getsize(p), os.listdir(d))
""",
    "urll": r"""
import urllib.parse as u; print(u.urlsplit('http://a/b?c=d'), u.quote('a b'))
""",
    "prof": r"""
import cProfile; cProfile.run('sum(range(10))')
""",
    "dis": r"""
import dis; dis.dis(lambda x: x+1)
""",
    "log": r"""
import logging; logging.warning('x')
""",
    "pathl": """
from pathlib import Path; Path('/tmp').mkdir(exist_ok=True); Path('/tmp/a').write_text('\u00e9'); print(Path('/tmp/a').read_text(), list(Path('/').iterdir())[:1])
""",
    "timeit": r"""
import timeit; print(timeit.timeit('1+1',number=1000)>0)
""",
    "ast1": r"""
import ast; print(ast.unparse(ast.parse('a=1+2')))
""",
    "insp": r"""
import inspect; print(inspect.getsource(inspect.signature)[:20], inspect.getdoc(len))
""",
    "bisect": r"""
import array,bisect; a=array.array('i',[3,1]); print(a, bisect.insort([1,3],2))
""",
    "zipf": r"""
import zipfile,io; b=io.BytesIO(); z=zipfile.ZipFile(b,'w'); z.writestr('a','b'); z.close(); print(zipfile.ZipFile(b).namelist())
""",
    "gz": r"""
import gzip,bz2; print(gzip.decompress(gzip.compress(b'a')))
""",
    "doctest": r"""
import doctest; print(doctest.testmod())
""",
    "unit": r"""
import unittest
class T(unittest.TestCase):
    def test_a(self): self.assertEqual(1,2)
unittest.main(exit=False)
""",
    "async2": r"""
import asyncio
async def w(q):
    while True:
        x=await q.get(); print(x); q.task_done()
async def main():
    q=asyncio.Queue(); t=asyncio.create_task(w(q))
    for i in range(3): await q.put(i)
    await q.join(); t.cancel()
    try: await t
    except asyncio.CancelledError: print('c')
asyncio.run(main())
""",
    "walk": """
import random
price, prices = 100.0, []
for day in range(1, 61):
    price *= 1 + random.gauss(0.002, 0.02)
    prices.append(round(price, 2))
print(f"lowest {min(prices):.2f}, highest {max(prices):.2f}, last {prices[-1]:.2f}", random.SystemRandom().random() < 1)
""",
    "lamps": """
import math, time
shown = {}
for step in range(6):
    wanted = {(x, round((math.sin((x + step) / 3) + 1) / 2 * 5)): "blue" for x in range(24)}
    for place in shown.keys() - wanted.keys() | wanted.items() & shown.items() ^ shown.keys():
        print(*place, "off")
    shown = wanted
print(f"{time.monotonic():.1f} s", time.ctime(0), time.asctime()[:3], time.mktime(time.localtime(0)))
""",
    "totals": """
import csv, json, os
from collections import defaultdict
os.makedirs("/out", exist_ok=True)
with open("/out/sales.csv", "w", newline="", encoding="utf-8") as file:
    csv.writer(file).writerows([("product", "pieces"), ("a", 3), ("b", 2.5)])
totals = defaultdict(float)
with open("/out/sales.csv", newline="", encoding="utf-8") as file:
    for row in csv.DictReader(file):
        totals[row["product"]] += float(row["pieces"])
ranking = sorted(totals.items(), key=lambda entry: -entry[1])
with open("/out/totals.json", "w", encoding="utf-8") as file:
    json.dump(dict(ranking), file, indent=2)
print(ranking, *zip(*ranking), os.path.getmtime("/out/totals.json") > 0, os.remove("/out/totals.json"))
""",
    "wheel": """
import importlib, sys, zipfile
with zipfile.ZipFile("/flags.zip", "w", zipfile.ZIP_DEFLATED) as archive:
    archive.writestr("flags.py", "def spell(text): return text.upper()")
sys.path.append("/flags.zip")
import flags
print(flags.spell("a"), flags.__file__, importlib.reload(flags), importlib.metadata.version("nothing"))
""",
    "args": """
import argparse
parser = argparse.ArgumentParser(description="d")
parser.add_argument("file", nargs="*", help="h")
parser.add_argument("-v", "--verbose", action="store_true")
print(parser.parse_args(["a", "-v"]), parser.format_help())
parser.parse_args(["--nope"])
""",
    "big": """
print(sum(int(d) for d in str(2**1000)), 100**50 % 97, int("9" * 40) // 7, float(10**20), 3**200 > 2**300, pow(7, -1, 11))
""",
    "rec": """
def f(): f()
f()
""",
    "misspelt": """
value = 1
try: vlaue
except NameError as error: print(error)
try: value.bit_lenght()
except AttributeError as error: print(error)
import jsno
""",
    "closed": """
file = open("/closed.txt", "w+")
file.close()
file.write("x")
""",
}

for name, program in PROGRAMS.items():
    print(name)
    try:
        exec(compile(program, name, "exec"), {"__name__": "__main__"})
    except (Exception, SystemExit):
        traceback.print_exc()
    gc.collect()
