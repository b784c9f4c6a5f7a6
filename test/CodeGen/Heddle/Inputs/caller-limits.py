"""PTX of kernels that reach functions with 90 values live at once.

usage: caller-limits.py FOLDER
"""

import json
import pathlib
import sys

VALUES = 90
WORDS = 256

GREEDY = """
.func {name}(.param .b64 words)
{{
.reg .b64 %words;
.reg .b32 %v<{values}>;
ld.param.u64 %words, [words];
{loads}
{stores}
ret;
}}"""

MIDDLE = """
.func middle(.param .b64 words)
{
.reg .b64 %words;
.reg .b32 %x;
ld.param.u64 %words, [words];
{ .param .b64 p; st.param.b64 [p], %words; call deep, (p); }
ld.volatile.global.u32 %x, [%words+1000];
add.u32 %x, %x, 1;
st.volatile.global.u32 [%words+1000], %x;
ret;
}"""

TABLE = ".global .u64 table[1] = { pointed };"
PROTOTYPE = "proto: .callprototype _ (.param .b64 _);"

KERNEL = """
.visible .entry {name}(.param .u64 words) {bounds}
{{
.reg .b64 %words, %f;
ld.param.u64 %words, [words];
ld.volatile.global.u64 %f, [table];
{{ .param .b64 p; st.param.b64 [p], %words; {call} }}
ret;
}}"""


def greedy(name):
    """Turns the order of some words around."""
    loads = [f"ld.volatile.global.u32 %v{i}, [%words+{4 * i}];" for i in range(VALUES)]
    stores = [
        f"st.volatile.global.u32 [%words+{4 * i}], %v{VALUES - 1 - i};"
        for i in range(VALUES)
    ]
    return GREEDY.format(
        name=name, values=VALUES, loads="\n".join(loads), stores="\n".join(stores)
    )


def ptx():
    pointer = f"{PROTOTYPE} call %f, (p), proto;"
    return "\n".join(
        [".version 8.0", ".target sm_90", ".address_size 64"]
        + [greedy(name) for name in ("alone", "deep", "pointed")]
        + [MIDDLE, TABLE]
        + [
            KERNEL.format(name="free", bounds="", call="call alone, (p);"),
            KERNEL.format(
                name="chain", bounds=".maxntid 1024,1,1", call="call middle, (p);"
            ),
            KERNEL.format(name="pointers", bounds=".maxnreg 40", call=pointer),
        ]
    )


def manifest():
    """Each kernel turns the words around again."""
    words = list(range(VALUES))[::-1] + list(range(VALUES, WORDS))
    words[250] += 1
    buffer = {"buffer": "words", "type": "u32", "count": WORDS, "init": {"iota": [0, 1]}}
    return {
        "module": "k.ptx",
        "buffers": [buffer],
        "launches": [
            {"entry": name, "grid": [1], "block": [1], "args": [{"buffer": "words"}]}
            for name in ("free", "chain", "pointers")
        ],
        "expect": [{"buffer": "words", "values": words}],
    }


folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
(folder / "k.ptx").write_text(ptx() + "\n")
(folder / "k.json").write_text(json.dumps(manifest()))
