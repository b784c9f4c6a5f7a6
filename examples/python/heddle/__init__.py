"""Compiles PTX with libheddle-jit and runs it on the emulator.

    device = heddle.Device()
    add = device.load(ptx).kernel("add")
    x = device.array("f", [1, 2, 3])
    add(grid=1, block=3)(x, 10)
    print(x.read())

Device(profile=True) says where the cycles of each launch went, in profiles.

    with heddle.profile() as p:
        ...

has them as pandas frames and as a page in a notebook, of what any package of the process launches under ptx-env too
(profiling.py).

HEDDLE_LIBRARY is the path of libheddle-jit.so, where it is neither in the package, as it is in a wheel, nor near it, as
ptx-env has it, nor found by the loader. Only the C API of include/heddle-c is used. The library is loaded when it is
first needed.
"""
import array
import ctypes
import json
import os
from ctypes import c_char_p, c_int, c_size_t, c_uint32, c_uint64, c_void_p

from . import profiling
from .profiling import Profile, profile

API_VERSION = 1


class Error(Exception):
    """What a call of the library said when it failed."""


class _Input(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("data", c_char_p),
        ("size", c_size_t),
        ("name", c_char_p),
    ]


class _CompileOptions(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("options", ctypes.POINTER(c_char_p)),
        ("num_options", c_size_t),
        ("timeout_nanoseconds", c_uint64),
        ("progress", c_void_p),
        ("progress_context", c_void_p),
    ]


class _ContextConfig(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("api_version", c_uint32),
        ("chip", c_char_p),
        ("memory_bytes", c_uint64),
        ("strict_hazards", c_int),
        ("print", c_void_p),
        ("print_context", c_void_p),
        ("profile", c_void_p),
        ("profile_context", c_void_p),
    ]


_Profile = ctypes.CFUNCTYPE(None, c_void_p, c_void_p, c_size_t)


class _KernelInfo(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("name", c_char_p)] + [
        (name, c_uint32)
        for name in (
            "registers",
            "uniform_registers",
            "shared_bytes",
            "local_bytes",
            "spill_store_bytes",
            "spill_load_bytes",
            "barriers",
            "param_bytes",
            "num_params",
            "max_threads",
        )
    ]


class _ParamInfo(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("name", c_char_p),
        ("type", c_char_p),
        ("offset", c_uint32),
        ("size", c_uint32),
        ("align", c_uint32),
    ]


class _Launch(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("module", c_void_p),
        ("kernel", c_uint32),
        ("grid", c_uint32 * 3),
        ("block", c_uint32 * 3),
        ("cluster", c_uint32 * 3),
        ("dynamic_shared_bytes", c_uint32),
        ("arguments", ctypes.POINTER(c_void_p)),
        ("num_arguments", c_uint32),
    ]


def _load_library():
    name = "libheddle-jit.so.1"
    package = os.path.dirname(os.path.abspath(__file__))
    for place in ("lib", "../..", "../../.."):
        own = os.path.join(package, place, "libheddle-jit.so.1")
        if os.path.exists(own):
            name = own
            break
    name = os.environ.get("HEDDLE_LIBRARY", name)
    try:
        library = ctypes.CDLL(name)
    except OSError as error:
        raise ImportError(
            "%s; set HEDDLE_LIBRARY to the libheddle-jit.so.1 of a build" % error
        ) from error
    # Handles are pointers, which ctypes would cut to an int.
    for name in (
        "heddleCompilerCreate",
        "heddleCompile",
        "heddleContextCreate",
        "heddleContextSynchronize",
        "heddleModuleLoad",
        "heddleModuleGetKernel",
        "heddleAllocate",
        "heddleFree",
        "heddleCopyToDevice",
        "heddleCopyFromDevice",
        "heddleLaunch",
        "heddleStreamSynchronize",
        "heddleCodeObjectGetData",
    ):
        getattr(library, name).restype = c_void_p
    library.heddleErrorGetMessage.restype = c_char_p
    library.heddleErrorGetMessage.argtypes = [c_void_p]
    library.heddleErrorDestroy.argtypes = [c_void_p]
    library.heddleCodeObjectGetSize.restype = c_size_t
    library.heddleCodeObjectGetNumKernels.restype = c_size_t
    return library


class _Library:
    """The library, which is loaded by the first use of it."""

    def __getattr__(self, name):
        global _library
        _library = _load_library()
        return getattr(_library, name)


_library = _Library()
profiling.prepare()


def _check(error):
    if not error:
        return
    message = _library.heddleErrorGetMessage(error).decode()
    _library.heddleErrorDestroy(error)
    raise Error(message)


def _extent(value):
    """A number or up to three of them, as three."""
    values = (value,) if isinstance(value, int) else tuple(value)
    return (values + (1, 1, 1))[:3]


class CodeObject:
    """What the compiler made of a PTX module."""

    def __init__(self, handle):
        self._handle = c_void_p(handle)

    @property
    def data(self):
        """The bytes of the ELF file (docs/object-format.md)."""
        return ctypes.string_at(
            _library.heddleCodeObjectGetData(self._handle),
            _library.heddleCodeObjectGetSize(self._handle),
        )

    def kernels(self):
        """For each kernel its name, resources, and parameters (type, size)."""
        found = {}
        count = _library.heddleCodeObjectGetNumKernels(self._handle)
        for index in range(count):
            info = _KernelInfo(struct_size=ctypes.sizeof(_KernelInfo))
            _library.heddleCodeObjectGetKernel(
                self._handle, c_size_t(index), ctypes.byref(info)
            )
            params = []
            for number in range(info.num_params):
                param = _ParamInfo(struct_size=ctypes.sizeof(_ParamInfo))
                _library.heddleCodeObjectGetParam(
                    self._handle,
                    c_size_t(index),
                    c_size_t(number),
                    ctypes.byref(param),
                )
                params.append((param.type.decode(), param.size))
            found[info.name.decode()] = {
                "registers": info.registers,
                "shared_bytes": info.shared_bytes,
                "local_bytes": info.local_bytes,
                "params": params,
            }
        return found

    def __del__(self):
        _library.heddleCodeObjectDestroy(self._handle)


_compiler = None


def compile(ptx, options=(), name="<python>"):
    """Compiles PTX, through the cache; options are ptxas's."""
    global _compiler
    if _compiler is None:
        _compiler = c_void_p()
        _check(_library.heddleCompilerCreate(None, ctypes.byref(_compiler)))
    text = ptx.encode() if isinstance(ptx, str) else ptx
    source = _Input(ctypes.sizeof(_Input), text, len(text), name.encode())
    words = (c_char_p * max(len(options), 1))(*[o.encode() for o in options])
    wanted = _CompileOptions(ctypes.sizeof(_CompileOptions), words, len(options))
    code = c_void_p()
    _check(
        _library.heddleCompile(
            _compiler, ctypes.byref(source), ctypes.byref(wanted), ctypes.byref(code)
        )
    )
    return CodeObject(code.value)


class Array:
    """Device memory with items of one of array.array's types."""

    def __init__(self, device, typecode, items):
        self._device = device
        self.typecode = typecode
        values = array.array(typecode, items)
        self.nbytes = len(values) * values.itemsize
        self.address = c_uint64()
        _check(
            _library.heddleAllocate(
                device._handle, c_uint64(self.nbytes), ctypes.byref(self.address)
            )
        )
        self.write(values)

    def write(self, values):
        raw = array.array(self.typecode, values).tobytes()
        if len(raw) != self.nbytes:
            raise ValueError("the array has another size")
        _check(
            _library.heddleCopyToDevice(
                self._device._handle, None, self.address, raw, c_uint64(len(raw))
            )
        )
        self._device.synchronize()

    def read(self):
        raw = ctypes.create_string_buffer(self.nbytes)
        _check(
            _library.heddleCopyFromDevice(
                self._device._handle, None, raw, self.address, c_uint64(self.nbytes)
            )
        )
        self._device.synchronize()
        values = array.array(self.typecode)
        values.frombytes(raw.raw)
        return list(values)

    def free(self):
        _check(_library.heddleFree(self._device._handle, self.address))


_SCALARS = {
    "f32": ctypes.c_float,
    "f64": ctypes.c_double,
    "s8": ctypes.c_int8,
    "s16": ctypes.c_int16,
    "s32": ctypes.c_int32,
    "s64": ctypes.c_int64,
}
_WORDS = {1: ctypes.c_uint8, 2: ctypes.c_uint16, 4: c_uint32, 8: c_uint64}


def _argument(value, kind, size):
    """A parameter's value; PTX's untyped ones take what Python has."""
    if isinstance(value, Array):
        return value.address
    if kind in _SCALARS:
        return _SCALARS[kind](value)
    if isinstance(value, float):
        return ctypes.c_float(value) if size == 4 else ctypes.c_double(value)
    if isinstance(value, bytes):
        return ctypes.create_string_buffer(value, size)
    return _WORDS[size](value & ((1 << 8 * size) - 1))


class Kernel:
    """kernel(grid=..., block=...)(arguments...) launches and waits."""

    def __init__(self, module, name):
        self._module = module
        self._params = module.code.kernels()[name]["params"]
        self._index = c_uint32()
        _check(
            _library.heddleModuleGetKernel(
                module._handle, name.encode(), ctypes.byref(self._index)
            )
        )

    def __call__(self, grid, block, shared=0):
        def launch(*arguments):
            if len(arguments) != len(self._params):
                raise TypeError("the kernel takes %d arguments" % len(self._params))
            values = [_argument(a, *p) for a, p in zip(arguments, self._params)]
            places = (c_void_p * max(len(values), 1))(
                *[ctypes.addressof(v) for v in values]
            )
            config = _Launch(
                ctypes.sizeof(_Launch),
                self._module._handle,
                self._index,
                (c_uint32 * 3)(*_extent(grid)),
                (c_uint32 * 3)(*_extent(block)),
                (c_uint32 * 3)(1, 1, 1),
                shared,
                places,
                len(values),
            )
            device = self._module._device
            _check(_library.heddleLaunch(device._handle, None, ctypes.byref(config)))
            device.synchronize()

        return launch


class Module:
    """A code object on a device."""

    def __init__(self, device, code):
        self._device = device
        self.code = code
        self._handle = c_void_p()
        data = code.data
        _check(
            _library.heddleModuleLoad(
                device._handle, data, c_size_t(len(data)), ctypes.byref(self._handle)
            )
        )

    def kernel(self, name):
        return Kernel(self, name)


class Device:
    """An emulated chip. strict: check that code waits for its results.

    profile: run in the time of the chip; by default if heddle.profile() is at work. `profiles` then has a dictionary
    for each launch: kernel, cycles, seconds, metrics, and where the cycles went.
    """

    def __init__(self, chip=None, strict=True, profile=None):
        self.profiles = []
        if profile is None:
            profile = profiling.profile.active is not None

        def add(_, text, size):
            launch = json.loads(ctypes.string_at(text, size))
            self.profiles.append(launch)
            if profiling.profile.active is not None:
                profiling.profile.active._add_launch(launch)

        self._add_profile = _Profile(add) if profile else None
        config = _ContextConfig(
            ctypes.sizeof(_ContextConfig),
            API_VERSION,
            chip.encode() if chip else None,
            0,
            int(strict),
            None,
            None,
            ctypes.cast(self._add_profile, c_void_p) if profile else None,
            None,
        )
        self._handle = c_void_p()
        _check(
            _library.heddleContextCreate(
                ctypes.byref(config), ctypes.byref(self._handle)
            )
        )

    def load(self, source, options=()):
        """Loads PTX, which it compiles, or a CodeObject."""
        if not isinstance(source, CodeObject):
            source = compile(source, options)
        return Module(self, source)

    def array(self, typecode, items):
        return Array(self, typecode, items)

    def synchronize(self):
        _check(_library.heddleContextSynchronize(self._handle))
