// Programs that go as deep as they can: each ends in RecursionError or MemoryError, never in a crash; page and Node.

export const DEEP = String.raw`import sys
def f(n): return 0 if n == 0 else 1 + f(n-1)
print(sys.getrecursionlimit(), f(900))
try: f(5000)
except RecursionError as e: print("RE", e)
class A:
    def __init__(s, x): s.x=x
    def __repr__(s): return "A(%r)" % (s.x,)
a=A(0)
for _ in range(240): a=A(a)
print(len(repr(a)))
a=A(0)
for _ in range(900): a=A(a)
try: print(len(repr(a)))
except RecursionError as e: print("RE repr")
l=[]
for _ in range(100000): l=[l]
try: repr(l)
except RecursionError: print("RE list")
import json
try: print(len(json.loads("["*900+"]"*900)))
except RecursionError: print("RE json 900")
try: json.loads("["*100000)
except RecursionError: print("RE json")
try: print(len(json.dumps(l)))
except RecursionError: print("RE dumps")
for n in (50,90,190,5000):
    try: eval("("*n+"1"+")"*n); print("ok parens",n)
    except (RecursionError,SyntaxError,MemoryError) as e: print("RE eval", n, type(e).__name__, e)
for n in (200,900,3000):
    try: eval("-"*n+"1"); print("ok unary",n)
    except (RecursionError,SyntaxError,MemoryError) as e: print("RE unary",n, type(e).__name__)
for n in (200,900,5000):
    try: eval("+".join(["1"]*n)); print("ok plus",n)
    except (RecursionError,SyntaxError,MemoryError) as e: print("RE plus", n,type(e).__name__)
import re
for n in (90,400):
    try: re.compile("("*n+")"*n); print("ok re",n)
    except (RecursionError,re.error) as e: print("re",n,e)
class G:
    def __getattr__(self, k): return getattr(self, k+"x")
try: G().a
except RecursionError: print("RE getattr")
class C:
    def __eq__(s,o): return s.n == o.n if isinstance(s.n,C) else True
def mk(n):
    c=C(); c.n=1
    for _ in range(n):
        d=C(); d.n=c; c=d
    return c
try: print(mk(900)==mk(900))
except RecursionError: print("RE eq")
def srt(n): return sorted([1], key=lambda _: srt(n-1) if n else 0)
for n in (200, 900):
    try: srt(n); print("ok sorted", n)
    except RecursionError: print("RE sorted", n)
import pickle
try: pickle.dumps(l)
except RecursionError: print("RE pickle")
try: pickle.loads(b'('*100000)
except Exception as e: print(type(e).__name__)
import copy
try: copy.deepcopy(l)
except RecursionError: print("RE deepcopy")
x = None
for _ in range(100000): x = (x,)
del x, l
import ast
try: ast.parse("a"+".b"*3000); print("ok attr")
except (RecursionError,MemoryError) as e: print("RE attr", type(e).__name__)
try: compile("a"+".b"*3000,"","eval"); print("ok attr")
except (RecursionError,MemoryError) as e: print("RE attr", type(e).__name__)
import marshal
try: marshal.loads(b'('+b'\x01\0\0\0('*100000)
except Exception as e: print(type(e).__name__, e)
import xml.etree.ElementTree as E
t=E.fromstring("<a>"*10000+"</a>"*10000); print("xml")
try: print(len(E.tostring(t)))
except RecursionError: print("RE xml")
del t
import functools
def w(n): return functools.partial(w, n-1)() if n else 0
try: w(900); print("ok partial")
except RecursionError: print("RE partial")
def g(n):
    if n: yield from g(n-1)
    yield 1
print(sum(g(300)))
class H:
    def __getattr__(self, k): return 0 if len(k) > 2000 else getattr(self, k + "x")
class I:
    def __getitem__(self, k): return self[k - 1] if k else 0
class J:
    def __add__(self, k): return self + (k - 1) if k else 0
class K:
    def __init__(self, n): self.k = K(n - 1) if n else 0
class P:
    def __init__(s, n): s.n = n
    @property
    def v(s): return P(s.n - 1).v if s.n else 0
def dc(n): return list(map(dc, [n - 1])) if n else []
def rs(n): return re.sub("a", lambda m: rs(n - 1) if n else "b", "a")
for go in (lambda n: sum(g(n)), lambda n: H().a, lambda n: I()[n], lambda n: J() + n, K, lambda n: P(n).v, dc, rs, w, srt):
    try: go(2000); print("no limit")
    except RecursionError: pass
for go in (lambda n: I()[n], lambda n: J() + n, K, lambda n: P(n).v, dc, rs, w, srt): go(100)
print("end")
`;
