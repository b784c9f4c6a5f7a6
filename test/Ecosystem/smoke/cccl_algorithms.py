"""Algorithms of cuda.compute (cuda-cccl) with operators of CUDA and of Python, against NumPy."""
import cupy
import numpy as np

import cuda.compute
from cuda.compute import OpKind

COUNT = 5000
random = np.random.default_rng(7)
host = random.integers(-50, 50, COUNT, dtype=np.int32)
data = cupy.asarray(host)
zero = np.zeros(1, np.int32)


def larger(a, b):
    return a if a > b else b


def check(what, got, wanted):
    assert np.array_equal(cupy.asnumpy(got), wanted), what
    print(what)


total = cupy.empty(1, np.int32)
cuda.compute.reduce_into(d_in=data, d_out=total, op=OpKind.PLUS, num_items=COUNT, h_init=zero)
check("sum", total, [host.sum()])
cuda.compute.reduce_into(d_in=data, d_out=total, op=larger, num_items=COUNT, h_init=zero)
check("largest", total, [host.max()])

sums = cupy.empty_like(data)
cuda.compute.inclusive_scan(d_in=data, d_out=sums, op=OpKind.PLUS, init_value=zero, num_items=COUNT)
check("sums up to each", sums, host.cumsum(dtype=np.int32))

places = cupy.arange(COUNT, dtype=np.int32)
keys, values = cupy.empty_like(data), cupy.empty_like(places)
cuda.compute.radix_sort(
    d_in_keys=data,
    d_out_keys=keys,
    d_in_values=places,
    d_out_values=values,
    num_items=COUNT,
    order=cuda.compute.SortOrder.ASCENDING,
)
check("sorted keys", keys, np.sort(host))
check("sorted values", values, np.argsort(host, kind="stable"))
print("all are right")
