"""A module of PTX with one of its kernels alone.

What a night does with a kernel it does with all of its module, and a module of Warp has up to thirty
kernels. Functions and variables stay: what the kernel does not use costs nothing.
"""
import re

# Text that has no braces of the module's own.
_APART = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_ENTRY = re.compile(r"^[ \t]*(?:\.(?:visible|weak)[ \t]+)?\.entry\s+([A-Za-z_$%][\w$]*)", re.MULTILINE)


def _end_of_body(text: str, start: int) -> int:
    """Behind the closing brace of what starts there."""
    depth = 0
    for place in re.finditer("[{}]", text[start:]):
        depth += 1 if place[0] == "{" else -1
        if depth == 0:
            return start + place.end()
    return len(text)


def only(text: str, kernel: str) -> str:
    """Without the bodies of other kernels; the whole module where the kernel is not in it."""
    # Of the same length, so that places are those of the text.
    plain = _APART.sub(lambda apart: re.sub(r"[^\n]", " ", apart[0]), text)
    entries = [(found[1], found.start(), _end_of_body(plain, found.end())) for found in _ENTRY.finditer(plain)]
    if kernel not in [name for name, _, _ in entries]:
        return text
    kept, at = [], 0
    for name, start, end in entries:
        if name != kernel:
            kept.append(text[at:start])
            at = end
    return "".join([*kept, text[at:]])
