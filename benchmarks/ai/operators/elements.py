"""Elements as the device has them, and as NumPy's numbers of double precision."""
import numpy as np


def _f8_table() -> np.ndarray:
    """The values of the bits of e4m3: no infinities, and a NaN where all bits but the sign are set."""
    bits = np.arange(256)
    exponent, fraction = bits >> 3 & 15, bits & 7
    small = fraction * 2.0**-9
    values = np.where(exponent == 0, small, (8 + fraction) * 2.0 ** (exponent - 10))
    values[(bits & 127) == 127] = np.nan
    return np.where(bits & 128, -values, values)


F8 = _f8_table()
PLAIN = {"f16": np.float16, "f32": np.float32, "tf32": np.float32, "i32": np.int32, "f64": np.float64}


def encode(values: np.ndarray, kind: str) -> np.ndarray:
    """The elements of a type that are next to the values; of i4, whole bytes in a row's groups are not made here."""
    if kind in PLAIN:
        return values.astype(PLAIN[kind])
    if kind == "bf16":
        bits = values.astype(np.float32).view(np.uint32)
        return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)
    if kind == "f8e4m3":
        finite = np.where(np.isnan(F8), np.inf, F8)
        order = np.argsort(finite[:127])
        place = np.searchsorted(finite[order], np.abs(values))
        place = np.clip(place, 1, 126)
        lower = np.abs(values) - finite[order][place - 1] < finite[order][place] - np.abs(values)
        return (order[place - lower] + 128 * (values < 0)).astype(np.uint8)
    raise ValueError(kind)


def decode(data: np.ndarray, kind: str) -> np.ndarray:
    """Elements as numbers of double precision; of i4, both of each byte, the lower first."""
    if kind in PLAIN:
        return data.view(PLAIN[kind]).astype(np.int64 if kind == "i32" else np.float64)
    if kind == "bf16":
        return (data.view(np.uint16).astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    if kind == "f8e4m3":
        return F8[data.view(np.uint8)]
    if kind == "i4":
        bytes_ = data.view(np.uint8).astype(np.int64)
        return np.stack([bytes_ & 15, bytes_ >> 4], axis=-1).reshape(-1) - 8.0
    raise ValueError(kind)


def element_type(kind: str) -> type:
    """NumPy's type of what lies in memory."""
    return PLAIN.get(kind) or {"bf16": np.uint16, "f8e4m3": np.uint8, "i4": np.uint8}[kind]
