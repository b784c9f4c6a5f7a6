"""Reads the text format of OpenMetrics 1.0, and refuses all that its grammar and its rules do not allow.

Written from the specification: the productions of its ABNF, and the rules on families, names, units and counters.
"""
import re

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r"[a-zA-Z_][a-zA-Z0-9_]*"
NUMBER = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?[Ii][Nn][Ff](?:[Ii][Nn][Ii][Tt][Yy])?|[Nn][Aa][Nn]"
STRING = r'"(?:[^"\\\n]|\\["\\n])*"'
SAMPLE = re.compile(r"(%s)(\{(?:%s=%s(?:,%s=%s)*)?\})? (%s)(?: (%s))?\Z" % (NAME, LABEL, STRING, LABEL, STRING, NUMBER, NUMBER))
TYPES = ("counter", "gauge", "histogram", "gaugehistogram", "stateset", "info", "summary", "unknown")
SUFFIXES = {"counter": ("_total", "_created"), "gauge": ("",)}


class Bad(Exception):
    pass


def unescape(text):
    return re.sub(r'\\(["\\n])', lambda match: "\n" if match[1] == "n" else match[1], text)


def parse(text):
    """{family: (type, unit, help, {(sample name, ((label, value), ...)): number})}"""
    if not text.endswith("# EOF\n") or "\r" in text:
        raise Bad("no # EOF at the end, or lines that end otherwise")
    families, name, said = {}, None, set()
    for line in text[:-len("# EOF\n")].splitlines():
        match = re.match(r"# (TYPE|UNIT|HELP) (%s) (.*)\Z" % NAME, line)
        if match:
            word, of, rest = match.groups()
            if of != name:
                if of in families:
                    raise Bad("family %s stands twice" % of)
                name, said = of, set()
                families[name] = ["unknown", "", "", {}]
            if word in said or families[name][3]:
                raise Bad("%s of %s stands twice or behind samples" % (word, name))
            said.add(word)
            if word == "TYPE" and rest not in TYPES:
                raise Bad("type " + rest)
            if word == "UNIT" and rest and not name.endswith("_" + rest):
                raise Bad("the name %s does not end with its unit" % name)
            if word == "HELP" and re.search(r'\\(?!["\\n])', rest):
                raise Bad("HELP with a wrong escape")
            families[name][("TYPE", "UNIT", "HELP").index(word)] = rest
            continue
        match = SAMPLE.match(line)
        if not match or name is None:
            raise Bad("no line of the format: " + line)
        sample, labels, value = match[1], match[2] or "", float(match[3])
        kind = families[name][0]
        if sample not in [name + suffix for suffix in SUFFIXES[kind]]:
            raise Bad("%s is no sample of the %s %s" % (sample, kind, name))
        if kind == "counter" and not value >= 0:
            raise Bad("a counter below zero: " + line)
        pairs = tuple(sorted((key, unescape(quoted[1:-1])) for key, quoted in re.findall("(%s)=(%s)" % (LABEL, STRING), labels)))
        if len({key for key, _ in pairs}) != len(pairs) or (sample, pairs) in families[name][3]:
            raise Bad("a label or a sample stands twice: " + line)
        families[name][3][sample, pairs] = value
    return families


def check_itself():
    """The checker refuses what is wrong."""
    good = '# TYPE a_seconds counter\n# UNIT a_seconds seconds\n# HELP a_seconds Text.\na_seconds_total{k="x\\"\\\\\\n"} 1.5\n# EOF\n'
    assert list(parse(good)["a_seconds"][3]) == [("a_seconds_total", (("k", 'x"\\\n'),))]
    for wrong, right in (("# EOF\n", ""), ("_total", ""), ("} 1.5", "} -1"), ("} 1.5", "}  1.5"), ('"} 1', '} 1'), ("UNIT a_seconds seconds", "UNIT a_seconds bytes"),
                         ("counter", "count"), ("# EOF", 'a_seconds_total{k="x\\"\\\\\\n"} 2\n# EOF'), ('\\"', '"'), ("# EOF", "# TYPE a_seconds counter\n# EOF")):
        assert wrong in good
        try:
            parse(good.replace(wrong, right, 1))
        except Bad:
            continue
        raise AssertionError("taken: %r for %r" % (right, wrong))
