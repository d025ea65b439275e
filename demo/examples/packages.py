# Pure-Python wheels can be imported: drop one on this page, or fetch one under
# "Python packages". This program makes a wheel of its own, to have one at hand.
import sys

try:
    import flags
except ImportError:
    import zipfile

    source = '''
WORDS = dict(zip("ALOPRSTY", "Alfa Lima Oscar Papa Romeo Sierra Tango Yankee".split()))

def spell(text):
    return " ".join(WORDS.get(letter, letter) for letter in text.upper())
'''
    wheel = "/flags-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("flags.py", source)
        archive.writestr("flags-1.0.dist-info/METADATA", "Name: flags\nVersion: 1.0\n")
        archive.writestr("flags-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\n")
    print("There is no package flags yet, so this program has made one.")
    print('Press "Add to packages" beside the file below, then Run again.')
else:
    from importlib.metadata import version

    print(flags.spell("sally port"))
    print("from", flags.__file__, "- version", version("flags"))
    print("Imported by Python", sys.version.split()[0])
