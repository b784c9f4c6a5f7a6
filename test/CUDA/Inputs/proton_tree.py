"""What Triton's profiler has written of kernels, by the scopes that they are in."""
import json


def show(node, scopes):
    """Prints how often each kernel below a node ran, and whether that took time."""
    metrics, scopes = node["metrics"], [*scopes, node["frame"]["name"]]
    if metrics.get("count"):
        print("/".join(scopes[1:]), metrics["count"], metrics["time (ns)"] > 0)
    for child in node["children"]:
        show(child, scopes)


def show_profile(path):
    with open(path + ".hatchet", encoding="utf-8") as file:
        show(json.load(file)[0], [])
