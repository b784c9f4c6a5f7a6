#!/usr/bin/env python3
"""Checks a file against what SARIF 2.1.0 says of the properties that we write.

usage: check-sarif.py FILE

Prints one line for each result. A property that the schema below does not name
is a fault, as it is in the standard's own schema, and so are a missing one, a
wrong type, an unknown value, and a rule that does not match.
"""
import json
import re
import sys

TEXT = {"text!": str}
ARTIFACT = {"uri!": re.compile(r"([A-Za-z0-9\-._~/]|%[0-9A-F]{2})+")}
REGION = {"startLine!": 1, "startColumn": 1, "endColumn": 1}
PHYSICAL = {"artifactLocation!": ARTIFACT, "region": REGION}
LOCATION = {"physicalLocation": PHYSICAL, "message": TEXT}
LEVEL = ("none", "note", "warning", "error")
FIX = {
    "description!": TEXT,
    "artifactChanges!": [
        {
            "artifactLocation!": ARTIFACT,
            "replacements!": [{"deletedRegion!": REGION, "insertedContent!": TEXT}],
        }
    ],
}
RESULT = {
    "level!": LEVEL,
    "message!": TEXT,
    "ruleId": str,
    "ruleIndex": 0,
    "locations": [LOCATION],
    "relatedLocations": [LOCATION],
    "fixes": [FIX],
}
RULE = {
    "id!": str,
    "shortDescription!": TEXT,
    "defaultConfiguration!": {"enabled!": bool, "level!": LEVEL},
}
DRIVER = {"name!": str, "version!": str, "rules!": [RULE]}
RUN = {
    "tool!": {"driver!": DRIVER},
    "columnKind!": ("utf16CodeUnits", "unicodeCodePoints"),
    "results!": [RESULT],
}
LOG = {"$schema!": str, "version!": ("2.1.0",), "runs!": [RUN]}


def check(value, schema, path):
    """A type, a least integer, a tuple of values, a pattern, a list or a dict."""
    if isinstance(schema, dict):
        if not isinstance(value, dict):
            sys.exit(path + ": no object")
        known = {key.rstrip("!"): part for key, part in schema.items()}
        for key in value:
            if key not in known:
                sys.exit("%s: no property '%s' in SARIF" % (path, key))
            check(value[key], known[key], path + "." + key)
        for key in schema:
            if key.endswith("!") and key[:-1] not in value:
                sys.exit("%s: no '%s'" % (path, key[:-1]))
    elif isinstance(schema, list):
        if not isinstance(value, list):
            sys.exit(path + ": no array")
        for index, item in enumerate(value):
            check(item, schema[0], "%s[%d]" % (path, index))
    elif isinstance(schema, tuple):
        if value not in schema:
            sys.exit("%s: unknown value '%s'" % (path, value))
    elif isinstance(schema, int) and not isinstance(schema, bool):
        if type(value) is not int or value < schema:
            sys.exit("%s: '%s' is no integer from %d" % (path, value, schema))
    elif isinstance(schema, re.Pattern):
        if not isinstance(value, str) or not schema.fullmatch(value):
            sys.exit("%s: malformed '%s'" % (path, value))
    elif type(value) is not schema:
        sys.exit("%s: '%s' has another type" % (path, value))


def describe(result):
    place = ""
    for location in result.get("locations", []):
        physical = location["physicalLocation"]
        place += physical["artifactLocation"]["uri"]
        if region := physical.get("region"):
            place += ":%d" % region["startLine"]
            if "startColumn" in region:
                place += ":%d-%d" % (region["startColumn"], region["endColumn"])
        place += ": "
    line = place + result["level"] + ": " + result["message"]["text"]
    if "ruleId" in result:
        line += " [%s]" % result["ruleId"]
    for fix in result.get("fixes", []):
        line += " (%s)" % fix["description"]["text"]
    return line


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        log = json.load(file)
    check(log, LOG, "log")
    for run in log["runs"]:
        rules = run["tool"]["driver"]["rules"]
        if len({rule["id"] for rule in rules}) != len(rules):
            sys.exit("a rule stands twice")
        for result in run["results"]:
            if ("ruleId" in result) != ("ruleIndex" in result):
                sys.exit("a rule's name without its index, or the reverse")
            if "ruleId" in result and rules[result["ruleIndex"]]["id"] != result["ruleId"]:
                sys.exit("ruleIndex does not match '%s'" % result["ruleId"])
            for location in result.get("locations", []):
                region = location["physicalLocation"].get("region", {})
                if region.get("endColumn", 1) < region.get("startColumn", 1):
                    sys.exit("a region ends before it begins")
            print(describe(result))


main()
