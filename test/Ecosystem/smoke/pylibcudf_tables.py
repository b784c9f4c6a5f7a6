"""Sorts, sums and groups tables of libcudf, RAPIDS' library, and compares with NumPy."""
import numpy as np
import pyarrow as pa
import pylibcudf as plc

values = np.arange(1000, dtype=np.int64)[::-1].copy()
keys = (values % 7).astype(np.int32)
column, groups = (plc.Column.from_arrow(pa.array(array)) for array in (values, keys))

order = [plc.types.Order.ASCENDING] * 2
table = plc.sorting.sort(plc.Table([groups, column]), order, [plc.types.NullOrder.AFTER] * 2)
wanted = values[np.lexsort((values, keys))]
assert (table.columns()[1].to_arrow().to_numpy() == wanted).all()

total = plc.reduce.reduce(column, plc.aggregation.sum(), plc.DataType(plc.TypeId.INT64))
assert total.to_arrow().as_py() == values.sum()

request = plc.groupby.GroupByRequest(column, [plc.aggregation.sum()])
found, sums = plc.groupby.GroupBy(plc.Table([groups])).aggregate([request])
result = dict(zip(found.columns()[0].to_arrow().to_pylist(), sums[0].columns()[0].to_arrow().to_pylist()))
assert result == {key: int(values[keys == key].sum()) for key in range(7)}, result
print("right")
