"""A profiler: asks CUPTI for records and for callbacks, by the published layouts, while a program of the driver API runs.

usage: cupti_records.py LIBRARY
"""
import collections
import contextlib
import ctypes
import io
import os
import runpy
import struct
import sys

cupti = ctypes.CDLL(sys.argv[1])
U32, U64, P, SIZE = ctypes.c_uint32, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_size_t
MEMCPY, MEMSET, DRIVER, RUNTIME, KERNEL, EXTERNAL = 1, 2, 4, 5, 10, 39


def check(name, *arguments):
    result = getattr(cupti, name)(*arguments)
    if result:
        text = ctypes.c_char_p()
        cupti.cuptiGetResultString(result, ctypes.byref(text))
        print(name, text.value.decode())


buffers, records = {}, collections.defaultdict(list)


@ctypes.CFUNCTYPE(None, ctypes.POINTER(P), ctypes.POINTER(SIZE), ctypes.POINTER(SIZE))
def request(place, size, most):
    buffer = ctypes.create_string_buffer(1024)  # a few records each
    buffers[ctypes.addressof(buffer)] = buffer
    place[0], size[0], most[0] = ctypes.addressof(buffer), len(buffer), 0


@ctypes.CFUNCTYPE(None, P, U32, P, SIZE, SIZE)
def complete(context, stream, buffer, size, valid):
    record = P()
    while (code := cupti.cuptiActivityGetNextRecord(P(buffer), SIZE(valid), ctypes.byref(record))) == 0:
        data = ctypes.string_at(record.value, 144)
        kind, = struct.unpack_from("I", data)
        if kind == KERNEL:
            start, end, done, device, context_id, stream_id = struct.unpack_from("3Q3I", data, 16)
            shape = struct.unpack_from("6i", data, 52)
            correlation, grid_id, name = struct.unpack_from("=IqQ", data, 92)
            records[kind].append((ctypes.string_at(name).decode(), shape, stream_id, correlation, start, end))
        elif kind == MEMCPY:
            copy_kind, source, target, _, size, start, end, device, context_id, stream_id, correlation = \
                struct.unpack_from("=4B3Q4I", data, 4)
            records[kind].append(((copy_kind, source, target), size, stream_id, correlation, start, end))
        elif kind == MEMSET:
            value, size, start, end, device, context_id, stream_id, correlation = struct.unpack_from("=I3Q4I", data, 4)
            records[kind].append((value, size, stream_id, correlation, start, end))
        elif kind in (DRIVER, RUNTIME):
            number, start, end, process, thread, correlation, result = struct.unpack_from("=I2Q4I", data, 4)
            name = ctypes.c_char_p()
            check("cuptiGetCallbackName", 1 if kind == DRIVER else 2, number, ctypes.byref(name))
            assert process == os.getpid()
            records[kind].append((name.value.decode(), correlation, result, start, end))
        elif kind == EXTERNAL:
            records[kind].append(struct.unpack_from("=IQI", data, 4))
        else:
            print("unknown record", kind)
    if code != 12:
        print("the last record:", code)
    del buffers[buffer]


class CallbackData(ctypes.Structure):
    _fields_ = [("site", U32), ("function", ctypes.c_char_p), ("parameters", P), ("result", ctypes.POINTER(ctypes.c_int)),
                ("symbol", ctypes.c_char_p), ("context", P), ("context_id", U32), ("data", ctypes.POINTER(U64)),
                ("correlation", U32)]


calls, launches = [], []


@ctypes.CFUNCTYPE(None, P, U32, U32, P)
def callback(user_data, domain, number, pointer):
    data = CallbackData.from_address(pointer)
    if data.site == 0:
        data.data[0] = data.correlation * 3
    assert user_data == 77 and domain == 1 and data.data[0] == data.correlation * 3
    calls.append((data.function.decode(), data.site, data.correlation, data.result[0] if data.site else None))
    if data.symbol and data.site:
        grid_and_block = struct.unpack_from("6I", ctypes.string_at(data.parameters + 8, 24))
        launches.append((data.symbol.decode(), grid_and_block))


version, subscriber, second = U32(), P(), P()
check("cuptiGetVersion", ctypes.byref(version))
check("cuptiActivityRegisterCallbacks", request, complete)
for kind in (MEMCPY, MEMSET, DRIVER, KERNEL, EXTERNAL):
    check("cuptiActivityEnable", kind)
check("cuptiSubscribe", ctypes.byref(subscriber), callback, P(77))
check("cuptiSubscribe", ctypes.byref(second), callback, P(78))
check("cuptiEnableDomain", 1, subscriber, 1)
check("cuptiEnableCallback", 0, subscriber, 1, 1)  # not of cuInit
check("cuptiActivityEnable", 1000)
check("cuptiActivityPopExternalCorrelationId", 5, None)
check("cuptiActivityPushExternalCorrelationId", 5, U64(1 << 40))
before, after = U64(), U64()
check("cuptiGetTimestamp", ctypes.byref(before))
output = io.StringIO()
with contextlib.redirect_stdout(output):
    runpy.run_path(os.path.join(os.path.dirname(__file__), "timeline.py"))
print(output.getvalue().splitlines()[-1])
last = U64()
check("cuptiActivityPopExternalCorrelationId", 5, ctypes.byref(last))
check("cuptiActivityFlushAll", 1)
check("cuptiGetTimestamp", ctypes.byref(after))
check("cuptiUnsubscribe", subscriber)
seen = len(calls)
driver = ctypes.CDLL("libcuda.so.1")
driver.cuCtxSynchronize()
check("cuptiFinalize")
driver.cuCtxSynchronize()
check("cuptiActivityFlushAll", 1)
check("cuptiEventGroupCreate", None, None, 0)

names = {correlation: name for name, correlation, *_ in records[DRIVER]}
print("version:", version.value >= 130000, "last pushed:", last.value == 1 << 40, "held:", len(buffers))
for (name, shape, _, correlation), count in collections.Counter(
        (n, s, 0, names[c]) for n, s, _, c, *_ in records[KERNEL]).items():
    print("kernel", name, *shape, "by", correlation, "x", count)
print("streams:", len({stream for _, _, stream, *_ in records[KERNEL]}))
for kinds, size, _, correlation, *_ in records[MEMCPY]:
    print("copy", *kinds, size, "by", names[correlation])
for value, size, _, correlation, *_ in records[MEMSET]:
    print("fill", value, size, "by", names[correlation])
print("failed:", *{(name, result) for name, _, result, *_ in records[DRIVER] if result})
times = [record[-2:] for kind in (MEMCPY, MEMSET, DRIVER, KERNEL) for record in records[kind]]
print("times:", all(before.value <= start <= end <= after.value for start, end in times), len(times))
print("external:", {(kind, number) for kind, number, _ in records[EXTERNAL]} == {(5, 1 << 40)},
      sorted(c for *_, c in records[EXTERNAL]) == sorted(names))
print("callbacks:", seen == len(calls), seen == 2 * (len(names) - 1), calls[0][:2], "cuInit" in [c[0] for c in calls])
print("failed:", *{(name, result) for name, site, _, result in calls if result})
print("launches:", *collections.Counter(launches).items())
