"""Checks messages of the Debug Adapter Protocol against its JSON schema.

Knows what that schema uses of JSON Schema: references, allOf, oneOf, types, enum,
required, properties, additionalProperties, items.
"""
import json

TYPES = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
    "null": type(None),
}


class Schema:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.definitions = json.load(file)["definitions"]

    def check(self, message):
        """Raises ValueError if a message is not as its definition says."""
        self.validate(message, self.definitions[self.name_of(message)], message.get("command", ""))

    def name_of(self, message):
        """The definition of a message."""
        kind = message["type"]
        if kind == "response" and not message["success"]:
            return "ErrorResponse" if "body" in message else "Response"
        name = message["event"] if kind == "event" else message["command"]
        name = name[0].upper() + name[1:] + kind.capitalize()
        if name not in self.definitions:
            raise ValueError("the protocol has no " + name)
        return name

    def validate(self, value, schema, at):
        if "$ref" in schema:
            return self.validate(value, self.definitions[schema["$ref"].rsplit("/", 1)[1]], at)
        for part in schema.get("allOf", []):
            self.validate(value, part, at)
        if "oneOf" in schema:
            self.validate_one(value, schema["oneOf"], at)
        if "enum" in schema and value not in schema["enum"]:
            raise ValueError("%s: %r is none of %s" % (at, value, schema["enum"]))
        if "type" in schema:
            self.validate_type(value, schema["type"], at)
        if isinstance(value, dict):
            self.validate_object(value, schema, at)
        if isinstance(value, list) and "items" in schema:
            for index, item in enumerate(value):
                self.validate(item, schema["items"], "%s[%d]" % (at, index))

    def validate_one(self, value, parts, at):
        fits = 0
        for part in parts:
            try:
                self.validate(value, part, at)
                fits += 1
            except ValueError:
                pass
        if fits != 1:
            raise ValueError("%s: %r is %d of those that it may be" % (at, value, fits))

    @staticmethod
    def validate_type(value, types, at):
        for name in [types] if isinstance(types, str) else types:
            is_truth = isinstance(value, bool)
            if isinstance(value, TYPES[name]) and (name == "boolean" or not is_truth):
                return
        raise ValueError("%s: %r is no %s" % (at, value, types))

    def validate_object(self, value, schema, at):
        for name in schema.get("required", []):
            if name not in value:
                raise ValueError("%s: %s is missing in %r" % (at, name, value))
        properties = schema.get("properties", {})
        for name, part in properties.items():
            if name in value:
                self.validate(value[name], part, at + "." + name)
        others = schema.get("additionalProperties")
        if isinstance(others, dict):
            for name in set(value) - set(properties):
                self.validate(value[name], others, at + "." + name)
