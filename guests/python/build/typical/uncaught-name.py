import numpys
