# What sysconfig knows of this build: nothing about compilers, since nothing can be compiled in a guest.

build_time_vars = {
    "EXT_SUFFIX": "",
    "HOST_GNU_TYPE": "wasm32-unknown-wasi",
    "MACHDEP": "wasi",
    "MULTIARCH": "wasm32-wasi",
    "Py_DEBUG": 0,
    "Py_ENABLE_SHARED": 0,
    "SOABI": "cpython-311-wasm32-wasi",
    "TZPATH": "/usr/share/zoneinfo",
    "VERSION": "3.11",
    "exec_prefix": "/usr",
    "prefix": "/usr",
    "py_version_nodot": "311",
}
