"""Arguments that PyTorch refuses: operations on the device raise what the host's do, and give no result."""
import sys

import torch
from torch.nn import functional

REDUCTIONS = ("softmax", "log_softmax", "cumsum", "cumprod", "sort", "argsort", "sum", "prod", "amax", "argmax", "max",
              "median", "mode", "flip", "logcumsumexp", "cummax", "std", "var", "mean", "any", "all", "nansum")


def cases(ones, zeros):
    """Calls by their names; ones makes a tensor in single precision, zeros one of whole numbers."""
    x, row, flag = ones(3, 3), ones(3), ones(2) > 0
    images = ones(1, 4, 5, 5)
    return {
        **{f"{name} of a dimension": lambda name=name: getattr(x, name)(5) for name in REDUCTIONS},
        "sum of sizes": lambda: ones(2, 3) + ones(2, 4), "product": lambda: ones(2, 3) @ ones(2, 3),
        "batches": lambda: torch.bmm(ones(2, 3, 4), ones(3, 4, 4)), "types": lambda: ones(2, 2) @ ones(2, 2).double(),
        "vector": lambda: ones(2, 3).mv(ones(2)), "dot": lambda: ones(2).dot(ones(3)),
        "linear": lambda: functional.linear(ones(2, 3), ones(5, 4), ones(5)),
        "topk": lambda: row.topk(5), "topk in": lambda: x.topk(1, 4), "kthvalue": lambda: row.kthvalue(5),
        "kthvalue 0": lambda: row.kthvalue(0), "gather": lambda: x.gather(0, zeros(3, 5)),
        "scatter": lambda: x.scatter(0, zeros(4, 4), x), "scatter type": lambda: x.scatter(0, zeros(3, 3), x.double()),
        "index_add": lambda: x.index_add(0, zeros(2), x), "mask": lambda: x.masked_fill(zeros(3, 3), 1.0),
        "mask of sizes": lambda: x[flag], "index_put": lambda: row.index_put_((zeros(1), ), zeros(1)),
        "cat": lambda: torch.cat([ones(2, 3), ones(2, 4)]), "in place": lambda: ones(2, 1).add_(ones(2, 3)),
        "whole in place": lambda: zeros(2).add_(1.5), "booleans": lambda: flag - flag, "bits": lambda: row & row,
        "bits of numbers": lambda: zeros(2) & 1.5, "truth in place": lambda: flag.mul_(2),
        "truth subtracted": lambda: row - True, "truth as factor": lambda: row.add(row, alpha=True),
        "out": lambda: torch.add(row, 1, out=zeros(3)),
        "channels": lambda: functional.conv2d(ones(1, 2, 3, 3), ones(1, 3, 1, 1)),
        "groups": lambda: functional.conv2d(images, ones(3, 2, 1, 1), groups=2),
        "bias": lambda: functional.conv2d(images, ones(3, 4, 1, 1), ones(4)),
        "window": lambda: functional.max_pool2d(ones(1, 2, 2), 3), "mean": lambda: functional.avg_pool2d(ones(1, 2, 2), 3),
        "padding": lambda: functional.max_pool2d(images, 2, padding=3),
        "adaptive": lambda: functional.adaptive_avg_pool2d(x, 2),
        "batch norm": lambda: functional.batch_norm(ones(1, 3), row, row, training=True),
        "group norm": lambda: functional.group_norm(ones(4, 3), 2),
        "layer norm": lambda: functional.layer_norm(ones(2, 3), (4, )),
        "classes": lambda: functional.cross_entropy(ones(4, 3), zeros(5)),
        "labels": lambda: functional.nll_loss(ones(4, 3), ones(4)),
        "embedding": lambda: functional.embedding(ones(2), x), "reflect": lambda: functional.pad(ones(1, 3), (4, 4),
                                                                                                mode="reflect"),
        "uniform": lambda: row.uniform_(2, 1), "uniform whole": lambda: zeros(2).uniform_(),
        "normal": lambda: row.normal_(0, -1), "bernoulli": lambda: row.bernoulli_(2.0),
        "exponential": lambda: row.exponential_(-1), "geometric": lambda: row.geometric_(2.0),
        "cauchy": lambda: row.cauchy_(0, -1), "randint": lambda: torch.randint(5, 2, (3, ), device=x.device),
        "randint beyond": lambda: torch.randint(0, 300, (3, ), dtype=torch.uint8, device=x.device),
        "multinomial": lambda: row.multinomial(5), "bincount": lambda: torch.bincount(-row.long()),
        "bincount type": lambda: torch.bincount(row), "eye": lambda: torch.eye(-1, device=x.device),
        "inverse": lambda: torch.linalg.inv(zeros(3, 3).float()), "histogram": lambda: torch.histc(row, 4, 2, 1),
        "of no elements": lambda: ones(0).max(), "view": lambda: ones(2, 3).view(7),
    }


def outcome(call):
    try:
        call()
        torch.cuda.synchronize()
    except Exception as error:  # Whatever PyTorch raises.
        return type(error).__name__
    return "no error"


def main():
    of_host, of_device = (cases(lambda *sizes, where=where: torch.ones(*sizes, device=where),
                                lambda *sizes, where=where: torch.zeros(*sizes, dtype=torch.int64, device=where))
                          for where in ("cpu", "cuda"))
    failed = False
    for name, call in of_host.items():
        expected, found = outcome(call), outcome(of_device[name])
        if found != expected or expected == "no error":
            print(f"{name}: {found}, on the host {expected}")
            failed = True
    try:
        torch.ones(2, 3, device="cuda") @ torch.ones(2, 3, device="cuda")
    except RuntimeError as error:
        print(error)
    print("FAIL" if failed else "PASS")
    return failed


if __name__ == "__main__":
    sys.exit(main())
