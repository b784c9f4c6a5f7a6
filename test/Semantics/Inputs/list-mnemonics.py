"""Lists the mnemonics of some PTX that contain one of the given words, once
each. Usage: list-mnemonics.py WORD,WORD FILE..."""

import re
import sys

words = sys.argv[1].split(",")
found = set()
for name in sys.argv[2:]:
    with open(name) as f:
        text = f.read()
    found.update(re.findall(r"(?:^|;)\s*(?:@!?%\w+\s+)?([a-z][\w.:]*\.[\w.:]+)", text, re.M))
for mnemonic in sorted(found):
    if any(w in mnemonic for w in words):
        print(mnemonic)
