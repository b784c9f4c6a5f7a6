"""TensorFlow's operations on the device and on the host: results and gradients, and whole steps of training.

TensorFlow has PTX for its own kernels. Products are asked for in full single precision, which is not its default.
"""
import ctypes
import glob
import importlib.util
import os

import numpy
import pytest

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
# The library of this version that loads cuSOLVER does not name the folder that its package is in, so that
# TensorFlow would go on without a device.
PACKAGES = importlib.util.find_spec("nvidia").submodule_search_locations[0]
for name in ("nvjitlink/lib/libnvJitLink", "cublas/lib/libcublasLt", "cublas/lib/libcublas", "cusparse/lib/libcusparse",
             "cusolver/lib/libcusolver"):
    for library in glob.glob(f"{PACKAGES}/{name}.so.*"):
        ctypes.CDLL(library, ctypes.RTLD_GLOBAL)

import tensorflow as tf  # noqa: E402  pylint: disable=wrong-import-position

DEVICES = ("/CPU:0", "/GPU:0")
DEVICE = tf.config.list_physical_devices("GPU")
tf.config.experimental.enable_tensor_float_32_execution(False)
for device in DEVICE:
    tf.config.experimental.set_memory_growth(device, True)

RANDOM = numpy.random.default_rng(0)


def normal(*shape):
    return tf.constant(RANDOM.standard_normal(shape), tf.float32)


def positive(*shape):
    return tf.constant(RANDOM.random(shape) + 0.1, tf.float32)


VECTOR, POSITIVE = normal(1000), positive(500)
LEFT, RIGHT = normal(33, 17), normal(17, 21)
BATCH, OTHER = normal(4, 5, 6), normal(4, 6, 7)
IMAGES, FILTERS = normal(2, 16, 16, 3), normal(3, 3, 3, 8)
ROWS, ROW_FILTERS = normal(2, 20, 3), normal(5, 3, 4)
VOLUMES, VOLUME_FILTERS = normal(1, 5, 5, 5, 2), normal(3, 3, 3, 2, 4)
DEEP = normal(2, 4, 4, 8)
INDICES = tf.constant(RANDOM.integers(0, 33, 50))
SQUARE = normal(12, 12)
DEFINITE = SQUARE @ tf.transpose(SQUARE) + 12 * tf.eye(12)
COMPLEX = tf.complex(normal(4, 32), normal(4, 32))
SPEECH = normal(10, 1, 5)
SPARSE = tf.sparse.from_dense(tf.where(LEFT > 1, LEFT, 0.0))


def slope(function, *arguments):
    """The derivatives of the sum of the sines of a function's results."""
    def derive():
        with tf.GradientTape() as tape:
            tape.watch(arguments)
            result = tf.reduce_sum(tf.sin(function(*arguments)))
        return tape.gradient(result, arguments)
    return derive


def on_elements(module, names, value):
    return {f"{module.__name__.rpartition('.')[2]}.{name}": lambda name=name: getattr(module, name)(value)
            for name in names.split()}


def moments(images):
    return tf.nn.batch_normalization(images, *tf.nn.moments(images, [0, 1, 2]), None, None, 1e-3)


def reductions(name):
    return lambda: [getattr(tf.math, f"reduce_{name}")(LEFT, axis) for axis in (0, 1, None)]


CASES = {
    **on_elements(tf.math, "sin cos tan exp expm1 tanh sigmoid erf abs negative sign floor ceil rint square asinh sinh "
                           "cosh atan softplus", VECTOR),
    **on_elements(tf.math, "log log1p sqrt rsqrt lgamma digamma reciprocal", POSITIVE),
    **on_elements(tf.nn, "relu elu selu gelu softsign leaky_relu relu6 silu", VECTOR),
    **{f"reduce_{name}": reductions(name)
       for name in "sum mean max min prod logsumexp std variance euclidean_norm".split()},
    "any": lambda: [tf.reduce_any(LEFT > 1, 1), tf.reduce_all(LEFT > -2, 1)],
    "argmax": lambda: [tf.argmax(LEFT, 0), tf.argmin(LEFT, 1)],
    "top_k": lambda: list(tf.math.top_k(LEFT, 5)),
    "sort": lambda: [tf.sort(VECTOR), tf.argsort(VECTOR)],
    "scans": lambda: [tf.cumsum(LEFT, 0), tf.cumsum(LEFT, 1, reverse=True, exclusive=True), tf.math.cumprod(LEFT, 1)],
    "matmul": lambda: [LEFT @ RIGHT, tf.matmul(LEFT, LEFT, transpose_b=True), tf.matmul(BATCH, OTHER)],
    "matmul.half": lambda: tf.cast(LEFT, tf.float16) @ tf.cast(RIGHT, tf.float16),
    "matmul.double": lambda: tf.cast(LEFT, tf.float64) @ tf.cast(RIGHT, tf.float64),
    "einsum": lambda: tf.einsum("bij,bjk->ik", BATCH, OTHER),
    "conv1d": lambda: tf.nn.conv1d(ROWS, ROW_FILTERS, 1, "SAME"),
    "conv2d": lambda: [tf.nn.conv2d(IMAGES, FILTERS, 1, "SAME"), tf.nn.conv2d(IMAGES, FILTERS, 2, "VALID")],
    "conv2d.dilated": lambda: tf.nn.conv2d(IMAGES, FILTERS, 1, "VALID", dilations=2),
    "conv3d": lambda: tf.nn.conv3d(VOLUMES, VOLUME_FILTERS, [1] * 5, "SAME"),
    "depthwise": lambda: tf.nn.depthwise_conv2d(IMAGES, FILTERS[..., :2], [1] * 4, "SAME"),
    "conv2d_transpose": lambda: tf.nn.conv2d_transpose(
        IMAGES, tf.transpose(FILTERS[..., :3], (0, 1, 3, 2)), (2, 32, 32, 3), 2, "SAME"),
    "pools": lambda: [tf.nn.max_pool2d(IMAGES, 2, 2, "SAME"), tf.nn.avg_pool2d(IMAGES, 3, 2, "SAME")],
    "fused_batch_norm": lambda: list(tf.compat.v1.nn.fused_batch_norm(IMAGES, tf.ones(3), tf.zeros(3))[:3]),
    "softmax": lambda: [tf.nn.softmax(LEFT), tf.nn.log_softmax(LEFT)],
    "cross_entropy": lambda: [tf.nn.softmax_cross_entropy_with_logits(tf.nn.softmax(LEFT), LEFT * 2),
                              tf.nn.sparse_softmax_cross_entropy_with_logits(INDICES[:33] % 17, LEFT)],
    "ctc_loss": lambda: tf.nn.ctc_loss(tf.constant([[1, 2, 3]]), SPEECH, [3], [10], blank_index=0),
    "l2_normalize": lambda: [tf.nn.l2_normalize(LEFT, 1), tf.nn.lrn(IMAGES)],
    "slope.conv2d": slope(lambda x, k: tf.nn.conv2d(x, k, 1, "SAME"), IMAGES, FILTERS),
    "slope.matmul": slope(lambda a, b: a @ b, LEFT, RIGHT),
    "slope.softmax": slope(tf.nn.softmax, LEFT),
    "slope.max_pool": slope(lambda x: tf.nn.max_pool2d(x, 2, 2, "VALID"), IMAGES),
    "slope.avg_pool": slope(lambda x: tf.nn.avg_pool2d(x, 3, 1, "SAME"), IMAGES),
    "slope.gather": slope(lambda a: tf.gather(a, INDICES), LEFT),
    "slope.moments": slope(moments, IMAGES),
    "gather": lambda: [tf.gather(LEFT, INDICES), tf.gather_nd(LEFT, tf.stack([INDICES, INDICES % 17], 1))],
    "scatter": lambda: [tf.scatter_nd(INDICES[:, None], tf.range(50.0), [33]),
                        tf.tensor_scatter_nd_max(tf.zeros(33), INDICES[:, None], tf.range(50.0))],
    "segments": lambda: [tf.math.unsorted_segment_sum(tf.range(50.0), INDICES, 33),
                         tf.math.unsorted_segment_max(tf.range(50.0), INDICES, 33)],
    "shapes": lambda: [tf.concat([LEFT, LEFT], 1), *tf.split(LEFT, 3, 0), tf.tile(LEFT, [2, 3]),
                       tf.transpose(IMAGES, (3, 1, 0, 2)), tf.reverse(IMAGES, [1, 2]), tf.roll(LEFT, 3, 0),
                       tf.pad(LEFT, [[1, 2], [3, 4]], "REFLECT"), LEFT[3:20:2, ::-1], tf.one_hot(INDICES, 33)],
    "masks": lambda: [tf.where(LEFT > 0, LEFT, -LEFT), tf.where(LEFT > 1), tf.boolean_mask(VECTOR, VECTOR > 0)],
    "unique": lambda: list(tf.unique(INDICES)),
    "casts": lambda: [tf.cast(VECTOR * 10, tf.int32), tf.cast(VECTOR, tf.float16), tf.cast(VECTOR, tf.bfloat16),
                      tf.cast(VECTOR, tf.float64), tf.clip_by_value(VECTOR, -1, 1)],
    "integers": lambda: [tf.bitwise.bitwise_xor(INDICES, INDICES // 2), INDICES // 3, INDICES % 7,
                         tf.bitwise.left_shift(INDICES, tf.constant(2, tf.int64)), tf.math.pow(INDICES, 2)],
    "counts": lambda: [tf.math.bincount(tf.cast(INDICES, tf.int32)), tf.histogram_fixed_width(VECTOR, [-2.0, 2.0], 10)],
    "cholesky": lambda: tf.linalg.cholesky(DEFINITE),
    "solve": lambda: [tf.linalg.inv(DEFINITE), tf.linalg.solve(DEFINITE, SQUARE), tf.linalg.det(DEFINITE / 30),
                      tf.linalg.triangular_solve(tf.linalg.cholesky(DEFINITE), SQUARE)],
    "decompositions": lambda: [tf.linalg.eigvalsh(DEFINITE), tf.linalg.svd(SQUARE, compute_uv=False),
                               tf.abs(tf.linalg.qr(SQUARE)[1]), tf.linalg.lu(DEFINITE)[0]],
    "diagonals": lambda: [tf.linalg.band_part(LEFT, 2, 3), tf.linalg.diag(LEFT[0]), tf.linalg.diag_part(DEFINITE),
                          tf.linalg.trace(DEFINITE)],
    "spectra": lambda: [tf.signal.fft(COMPLEX), tf.signal.ifft(COMPLEX), tf.signal.rfft(LEFT), tf.signal.fft2d(COMPLEX)],
    "complex": lambda: [tf.abs(COMPLEX), tf.math.conj(COMPLEX) * COMPLEX, tf.exp(COMPLEX)],
    "resize": lambda: [tf.image.resize(IMAGES, (20, 23)), tf.image.resize(IMAGES, (8, 8), "nearest"),
                       tf.image.resize(IMAGES, (9, 30), "bicubic"),
                       tf.image.crop_and_resize(IMAGES, [[0.1, 0.1, 0.8, 0.9]], [0], (7, 7))],
    "depth_and_space": lambda: [tf.nn.space_to_depth(IMAGES, 2), tf.nn.depth_to_space(DEEP, 2)],
    "random": lambda: [tf.random.stateless_uniform((100,), (1, 2)), tf.random.stateless_normal((100,), (1, 2)),
                       tf.random.stateless_uniform((50,), (3, 4), 0, 100, tf.int32),
                       tf.random.stateless_truncated_normal((50,), (5, 6))],
    "loops": lambda: [tf.map_fn(lambda row: row * 2, LEFT),
                      tf.while_loop(lambda i, _: i < 5, lambda i, x: (i + 1, x * 1.1), (0, LEFT))[1]],
    "sparse": lambda: tf.sparse.sparse_dense_matmul(SPARSE, RIGHT),
}


def results(case, where):
    with tf.device(where):
        values = [tf.convert_to_tensor(value) for value in tf.nest.flatten(case())]
    return [numpy.asarray(tf.cast(value, tf.float32) if value.dtype == tf.bfloat16 else value) for value in values]


def check(device, host, error=1e-5):
    """Compares with an error that is part of the largest element."""
    assert len(device) == len(host)
    for found, expected in zip(device, host):
        assert found.dtype == expected.dtype and found.shape == expected.shape
        if found.dtype.kind in "biu":
            assert numpy.array_equal(found, expected)
        else:
            allowed = 1e-3 if found.dtype == numpy.float16 else error
            assert numpy.abs(found - expected).max(initial=0) <= allowed * numpy.abs(expected).max(initial=0)


@pytest.mark.parametrize("name", CASES)
def test_operation(name):
    assert DEVICE
    host, device = (results(CASES[name], where) for where in DEVICES)
    check(device, host)


@pytest.mark.parametrize("compiled", ("eager", "function", "xla"))
def test_function(compiled):
    def attend(x, y):
        return tf.nn.gelu(tf.nn.softmax(x @ y) @ tf.transpose(y))

    if compiled != "eager":
        attend = tf.function(attend, jit_compile=compiled == "xla")
    host, device = (results(lambda: attend(LEFT, RIGHT), where) for where in DEVICES)
    check(device, host)


def model(kind):
    layers = tf.keras.layers
    if kind == "perceptron":
        return [layers.Dense(16, activation="relu"), layers.LayerNormalization(), layers.Dense(3)]
    if kind == "convolutions":
        return [layers.Reshape((4, 4, 1)), layers.Conv2D(4, 3, padding="same", activation="relu"),
                layers.BatchNormalization(), layers.MaxPooling2D(), layers.Flatten(), layers.Dense(3)]
    if kind == "recurrent":
        return [layers.Reshape((4, 4)), layers.LSTM(8), layers.Dense(3)]
    return [layers.Embedding(16, 8), layers.GlobalAveragePooling1D(), layers.Dense(3)]


def losses(kind, optimizer, where):
    """The losses of some steps of training."""
    tf.keras.utils.set_random_seed(1)
    random = numpy.random.default_rng(1)
    x = random.integers(0, 16, (64, 16)) if kind == "embedding" else random.random((64, 16), numpy.float32)
    y = random.integers(0, 3, 64)
    with tf.device(where):
        made = tf.keras.Sequential([tf.keras.Input((16,)), *model(kind)])
        made.compile(optimizer, tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
        made.set_weights([numpy.random.default_rng(2).normal(0, 0.3, w.shape) if w.ndim > 1 else w
                          for w in made.get_weights()])
        return made.fit(x, y, batch_size=16, epochs=3, shuffle=False, verbose=0).history["loss"]


@pytest.mark.parametrize("optimizer", ("sgd", "adam", "rmsprop"))
@pytest.mark.parametrize("kind", ("perceptron", "convolutions", "recurrent", "embedding"))
def test_training(kind, optimizer):
    assert DEVICE
    host, device = (losses(kind, optimizer, where) for where in DEVICES)
    assert device[-1] < device[0]
    numpy.testing.assert_allclose(device, host, rtol=2e-3)


def test_datasets():
    """Data that is prepared on the host while the device works."""
    def total(where):
        data = tf.data.Dataset.range(100).map(lambda i: tf.cast(i, tf.float32)).batch(10).prefetch(2)
        with tf.device(where):
            return sum(float(tf.reduce_sum(tf.sqrt(batch))) for batch in data)

    numpy.testing.assert_allclose(total(DEVICES[1]), total(DEVICES[0]), rtol=1e-6)


def test_saved_models(tmp_path):
    with tf.device(DEVICES[1]):
        module = tf.Module()
        module.weight = tf.Variable(RIGHT)
        module.apply = tf.function(lambda x: x @ module.weight, input_signature=[tf.TensorSpec((None, 17))])
        expected = module.apply(LEFT).numpy()
        tf.saved_model.save(module, str(tmp_path))
        found = (loaded := tf.saved_model.load(str(tmp_path))).apply(LEFT).numpy()
    assert numpy.array_equal(found, expected)
    numpy.testing.assert_allclose(found, LEFT.numpy() @ RIGHT.numpy(), rtol=1e-4, atol=1e-5)
