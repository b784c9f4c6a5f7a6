"""The sequences of cuRAND's generators, from the algorithms that curand_kernel.h has: threads that begin far apart in
one sequence, and their numbers by turns."""
import numpy as np

THREADS = 4096
MASK = 2**32 - 1


def seeded_xorwow(seed):
    """The five words that are shifted, and the counter that is added to them."""
    low, high = (seed & MASK) ^ 0xAAD26B49, (seed >> 32) ^ 0xF7DCEFDD
    low, high = 1099087573 * low & MASK, 2591861531 * high & MASK
    words = 123456789 + low, 362436069 ^ low, 521288629 + high, 88675123 ^ high, 5783321 + low
    return np.array([word & MASK for word in words], np.uint32), np.uint32((6615241 + low + high) & MASK)


def shifted(words):
    """The words behind a step, of many states at once."""
    moved = words[..., 0] ^ (words[..., 0] >> 2)
    last = words[..., 4]
    new = last ^ (last << 4) ^ moved ^ (moved << 1)
    return np.concatenate([words[..., 1:], new[..., None]], -1)


def bits_of(words):
    return np.unpackbits(np.ascontiguousarray(words).view(np.uint8), axis=-1, bitorder="little").astype(np.uint8)


def xorwow(seed, count):
    """A step is linear in the bits of the words, so that 2^67 steps are a power of a matrix."""
    words, counter = seeded_xorwow(seed)
    steps = bits_of(shifted(np.packbits(np.eye(160, dtype=np.uint8), axis=-1, bitorder="little").view(np.uint32)))
    for _ in range(67):
        steps = (steps.astype(np.float32) @ steps % 2).astype(np.uint8)
    state, states = bits_of(words), []
    for _ in range(THREADS):
        states.append(state)
        state = state @ steps % 2
    words, numbers = np.packbits(np.array(states), axis=-1, bitorder="little").view(np.uint32), []
    for turn in range(-(-count // THREADS)):
        words = shifted(words)
        numbers.append(words[:, 4] + counter + np.uint32((turn + 1) * 362437 & MASK))
    return np.concatenate(numbers)[:count]


# Of both recurrences of MRG32k3a the module, and the matrix of a step.
RECURRENCES = ((2**32 - 209, ((0, 1, 0), (0, 0, 1), (-810728, 1403580, 0))),
               (2**32 - 22853, ((0, 1, 0), (0, 0, 1), (-1370589, 0, 527612))))


def times(matrix, other, module):
    return np.array(matrix, object) @ np.array(other, object) % module


def recurrence(start, which, count):
    """The numbers of all threads by turns, of one of both recurrences."""
    module, step = RECURRENCES[which]
    jump = step
    for _ in range(76):
        jump = times(jump, jump, module)
    state, states = np.array(start, object) % module, []
    for _ in range(THREADS):
        states.append(state)
        state = times(jump, state, module)
    states, numbers = np.array(states).T, []
    for _ in range(-(-count // THREADS)):
        states = times(step, states, module)
        numbers.append(states[2])
    return np.concatenate(numbers)[:count]


def mrg32k3a(seed, count):
    low, high = (seed & MASK) ^ 0x55555555, (seed >> 32) ^ 0xAAAAAAAA
    starts = [12345 * part for part in (low, high, low)], [12345 * part for part in (high, low, high)]
    first, second = (recurrence(start, which, count) for which, start in enumerate(starts))
    difference = first - second
    difference = np.where(difference <= 0, difference + RECURRENCES[0][0], difference)
    return np.array([int(value * 1.000000048662) for value in difference], np.uint32)


def philox4_32_10(seed, count):
    """Four numbers of each counter, of whose words the third tells threads apart."""
    threads = np.arange(-(-count // 4), dtype=np.uint64)
    words, keys = [0 * threads, 0 * threads, threads, 0 * threads], [seed & MASK, seed >> 32]
    for _ in range(10):
        products = words[0] * np.uint64(0xD2511F53), words[2] * np.uint64(0xCD9E8D57)
        upper, lower = ([part >> np.uint64(32) for part in products], [part & np.uint64(MASK) for part in products])
        words = [upper[1] ^ words[1] ^ np.uint64(keys[0]), lower[1], upper[0] ^ words[3] ^ np.uint64(keys[1]), lower[0]]
        keys = [(key + more) & MASK for key, more in zip(keys, (0x9E3779B9, 0xBB67AE85))]
    return np.stack(words, -1).astype(np.uint32).reshape(-1)[:count]
