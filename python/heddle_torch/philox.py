"""Random numbers of Philox, those that PyTorch's own kernels draw on a GPU for a seed.

A thread of such a kernel draws four words of 32 bits at a time, at a place of its own among the numbers of the
generator. How elements lie among threads follows from their number, and, where there are more than the device holds
threads, from the device (PyTorch's calc_execution_policy).
"""
import triton
from triton import language as tl

import torch

from heddle_torch import kernels

BLOCK = 256
WORDS = 4
# How many numbers four words make.
NUMBERS = {"word": 4, "uniform": 4, "normal": 4, "long": 2, "uniform double": 2, "normal double": 2}


@triton.jit
def unit(word):
    """Above 0 and up to 1, in single precision."""
    return tl.fma(word.to(tl.float32), 2.3283064365386963e-10, 1.1641532182693481e-10)


@triton.jit
def wide_unit(low, high):
    """Above 0 and up to 1, of 53 bits."""
    bits = low.to(tl.uint64) ^ (high.to(tl.uint64) << 21)
    return bits.to(tl.float64) * 1.1102230246251565e-16 + 5.551115123125783e-17


@triton.jit
def put(out, at, count, value):
    tl.store(out + at, value, at < count)


@triton.jit
def element(thread, threads, turn, number, NUMBERS: tl.constexpr, WIDTH: tl.constexpr):
    """Where a number goes that a thread has drawn in a turn: threads store WIDTH neighbours each."""
    drawn = turn * NUMBERS + number
    return ((drawn // WIDTH) * threads + thread) * WIDTH + drawn % WIDTH


@triton.jit(do_not_specialize=["count", "threads", "seed", "offset"], do_not_specialize_on_alignment=["out", "state"])
def draw_numbers(out, count, threads, state, seed, offset, KIND: tl.constexpr, NUMBERS: tl.constexpr,
                 WIDTH: tl.constexpr, IN_GRAPH: tl.constexpr, BLOCK: tl.constexpr):
    """What a block of threads draws in one turn. In a graph the generator's state lies in memory."""
    thread, turn = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK).to(tl.int64), tl.program_id(1).to(tl.int64)
    if IN_GRAPH:
        seed, offset = tl.load(state), tl.load(state + 1) + offset
    place = offset // 4 + turn
    nothing = tl.zeros_like(thread)
    a, b, c, d = tl.philox(seed, (nothing + place).to(tl.uint32), (nothing + (place >> 32)).to(tl.uint32),
                           thread.to(tl.uint32), (thread >> 32).to(tl.uint32))
    first = element(thread, threads, turn, 0, NUMBERS, WIDTH)
    second = element(thread, threads, turn, 1, NUMBERS, WIDTH)
    if KIND == "long":
        put(out, first, count, ((a.to(tl.uint64) << 32) | b.to(tl.uint64)).to(tl.int64, bitcast=True))
        put(out, second, count, ((c.to(tl.uint64) << 32) | d.to(tl.uint64)).to(tl.int64, bitcast=True))
    elif KIND == "uniform double":
        put(out, first, count, wide_unit(a, b))
        put(out, second, count, wide_unit(c, d))
    elif KIND == "normal double":
        radius, turned = tl.sqrt(-2.0 * tl.log(wide_unit(a, b))), wide_unit(c, d) * 6.283185307179586
        put(out, first, count, tl.sin(turned) * radius)
        put(out, second, count, tl.cos(turned) * radius)
    else:
        third = element(thread, threads, turn, 2, NUMBERS, WIDTH)
        fourth = element(thread, threads, turn, 3, NUMBERS, WIDTH)
        if KIND == "word":
            put(out, first, count, a.to(tl.int64))
            put(out, second, count, b.to(tl.int64))
            put(out, third, count, c.to(tl.int64))
            put(out, fourth, count, d.to(tl.int64))
        elif KIND == "uniform":
            put(out, first, count, unit(a))
            put(out, second, count, unit(b))
            put(out, third, count, unit(c))
            put(out, fourth, count, unit(d))
        else:
            radius, turned = tl.sqrt(-2.0 * tl.log(unit(a))), unit(b) * 6.2831854820251465
            put(out, first, count, tl.sin(turned) * radius)
            put(out, second, count, tl.cos(turned) * radius)
            radius, turned = tl.sqrt(-2.0 * tl.log(unit(c))), unit(d) * 6.2831854820251465
            put(out, third, count, tl.sin(turned) * radius)
            put(out, fourth, count, tl.cos(turned) * radius)


class CapturedState:
    """A generator's state within one graph: its seed and offset, written in front of each run, and what a run draws."""

    def __init__(self, generator):
        self.generator, self.drawn = generator, 0
        self.tensor = torch.empty(2, dtype=torch.int64, device=generator.device)

    def advance(self, words):
        before = self.drawn
        self.drawn += words
        return before

    def prepare(self, _):
        """For the next run, which has other numbers than the one before."""
        offset = self.generator.get_offset()
        self.tensor[0].fill_(as_signed(self.generator.initial_seed()))
        self.tensor[1].fill_(offset)
        self.generator.set_offset(offset + self.drawn)


CAPTURED = {"graph": None, "states": {}}


def begin_capture(graph):
    CAPTURED.update(graph=graph, states={})


def end_capture(_):
    CAPTURED.update(graph=None, states={})


def watch_captures():
    """Asks to be told of graphs, where PyTorch tells of them (from 2.15 on)."""
    graphs = torch.cuda.graphs
    if hasattr(graphs, "register_graph_capture_start_hook"):
        graphs.register_graph_capture_start_hook(begin_capture)
        graphs.register_graph_capture_end_hook(end_capture)


def captured_state(generator):
    """The generator's state in the graph that is made; None where nobody has told of that graph."""
    graph, states = CAPTURED["graph"], CAPTURED["states"]
    if graph is not None and id(generator) not in states:
        states[id(generator)] = CapturedState(generator)
        graph.register_replay_start_hook(states[id(generator)].prepare)
    return states.get(id(generator))


def as_signed(seed):
    return (seed + 2**63) % 2**64 - 2**63


def threads_for(count, device):
    """How many threads PyTorch has draw numbers for so many elements."""
    chip = torch.cuda.get_device_properties(device)
    most = chip.multi_processor_count * (chip.max_threads_per_multi_processor // BLOCK)
    return min(most, triton.cdiv(count, BLOCK)) * BLOCK


def drawn(like, kind, generator=None, width=1, threads=None, words=None):
    """Random numbers in the extents of a tensor; None while a graph is made of which PyTorch does not tell.

    Threads store `width` neighbours each. By default there are as many threads as calc_execution_policy has, and the
    generator goes on by the words that one of them draws.
    """
    generator = generator or torch.cuda.default_generators[like.device.index or 0]
    count = like.numel()
    dtypes = {"word": torch.int64, "long": torch.int64, "uniform double": torch.float64, "normal double": torch.float64}
    made = torch.empty(like.size(), dtype=dtypes.get(kind, torch.float32), device=like.device)
    if not count:
        return made
    threads = threads or threads_for(count, like.device)
    words = words or triton.cdiv(count, threads * WORDS) * WORDS
    state = None
    if torch.cuda.is_current_stream_capturing():
        state = captured_state(generator)
        if state is None:
            return None
        seed, offset = 0, state.advance(words)
    else:
        seed, offset = as_signed(generator.initial_seed()), generator.get_offset()
        generator.set_offset(offset + words)
    turns = triton.cdiv(count, threads * NUMBERS[kind])
    draw_numbers[(triton.cdiv(threads, BLOCK), turns)](
        made, count, threads, state.tensor if state else made, seed, offset, KIND=kind, NUMBERS=NUMBERS[kind],
        WIDTH=width, IN_GRAPH=state is not None, BLOCK=BLOCK, **kernels.OPTIONS)
    return made
