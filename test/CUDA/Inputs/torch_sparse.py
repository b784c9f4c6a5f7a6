"""Sparse tensors on the device against the same on the host: sums of what is at one place, products, gradients,
other layouts, optimisers; and what is counted.
"""
import sys

import torch

torch.manual_seed(0)
A, B, W, G = torch.randn(6, 5).relu(), torch.randn(6, 5).relu(), torch.randn(5, 3), torch.randn(2, 6, 5).relu()


def twice(x):
    """Each element two times, in an order that is none."""
    x = x.to_sparse()
    return torch.sparse_coo_tensor(torch.cat([x.indices().flip(1), x.indices()], 1),
                                   torch.cat([x.values().flip(0), x.values()]), x.size())


def gradients(function, *tensors):
    tensors = [tensor.detach().clone().requires_grad_() for tensor in tensors]
    function(*tensors).square().sum().backward()
    return [tensor.grad for tensor in tensors]


def trained(device, make):
    """The weights of an embedding with sparse gradients behind three steps."""
    torch.manual_seed(0)
    words = torch.nn.Embedding(10, 3, sparse=True).to(device)
    optimizer = make(list(words.parameters()))
    for _ in range(3):
        optimizer.zero_grad()
        words(torch.tensor([1, 2, 2], device=device)).square().sum().backward()
        optimizer.step()
    return words.weight.detach()


STEPS = {
    "sums": lambda a, b, w, g: [twice(a).coalesce(), twice(a).to_dense(), twice(a.int()).coalesce(),
                                twice(a > 0).coalesce(), twice(a.to(torch.bfloat16)).to_dense()],
    "no elements": lambda a, b, w, g: [(a * 0).to_sparse().coalesce(), a.to_sparse() * (b * 0).to_sparse(),
                                       (a * 0).to_sparse().to_dense(), (a * 0).to_sparse() * b.to_sparse()],
    "added": lambda a, b, w, g: [a.to_sparse() + b.to_sparse(), torch.add(a.to_sparse(), b.to_sparse(), alpha=3),
                                 a.to_sparse() - b.to_sparse(), a + b.to_sparse(), a.clone().add_(b.to_sparse()),
                                 a.to_sparse().add_(b.to_sparse()), a.to_sparse().sub_(b.to_sparse())],
    "multiplied": lambda a, b, w, g: [a.to_sparse() * b.to_sparse(), a.to_sparse() * b, a.to_sparse() * 3,
                                      a.to_sparse() / 3, 2.5 * a.to_sparse(), a.to_sparse() * g.sum()],
    "products": lambda a, b, w, g: [a.to_sparse() @ w, torch.sparse.mm(a.to_sparse(), w.to_sparse()),
                                    torch.sparse.addmm(torch.ones_like(a @ w), a.to_sparse(), w),
                                    a.to_sparse().mv(w[:, 0].contiguous()), torch.bmm(g.to_sparse(), torch.stack([w, w]))],
    "rows": lambda a, b, w, g: [torch.sparse.sum(a.to_sparse()), torch.sparse.sum(a.to_sparse(), 1),
                                torch.sparse.softmax(a.to_sparse(), 1), torch.sparse.log_softmax(a.to_sparse(), 1)],
    "moved": lambda a, b, w, g: [a.to_sparse().t().coalesce(), torch.cat([a.to_sparse(), b.to_sparse()]),
                                 a.to_sparse().index_select(0, torch.tensor([0, 2, 2], device=a.device)),
                                 a.sparse_mask(b.to_sparse()), a.to_sparse().sparse_mask(b.to_sparse()),
                                 a.to_sparse().narrow_copy(0, 1, 3), a.to_sparse().clone(), g.to_sparse(2).coalesce()],
    "elements": lambda a, b, w, g: [torch.norm(a.to_sparse()), -a.to_sparse(), a.to_sparse().sqrt()],
    "other layouts": lambda a, b, w, g: [a.to_sparse_csr(), a.to_sparse_csc(), a.to_sparse_csr() @ w,
                                         a[:, :4].contiguous().to_sparse_bsr((2, 2)),
                                         a.to_sparse_csr() + b.to_sparse_csr(), a.to_sparse_csr() * 3,
                                         a.to_sparse_csr().sum(), a.to_sparse_csr().to_sparse()],
    "gradients": lambda a, b, w, g: [
        *gradients(lambda a, w: torch.sparse.mm(a.to_sparse(), w), a, w),
        *gradients(lambda a: torch.sparse.softmax(a.to_sparse(), 1).to_dense(), a),
        *gradients(lambda a: torch.sparse.sum(a.to_sparse(), 1).to_dense(), a)],
    "optimisers": lambda a, b, w, g: [trained(a.device, torch.optim.SparseAdam),
                                      trained(a.device, lambda weights: torch.optim.SGD(weights, lr=0.1))],
}


def dense(x):
    return x.cpu().to_dense() if x.layout != torch.strided else x.cpu()


def main():
    failed = False
    for name, step in STEPS.items():
        expected, found = (step(*(x.to(device) for x in (A, B, W, G))) for device in ("cpu", "cuda"))
        for number, (ours, theirs) in enumerate(zip(found, expected, strict=True)):
            try:
                assert ours.is_cuda and ours.layout == theirs.layout
                torch.testing.assert_close(dense(ours), dense(theirs), rtol=1e-4, atol=1e-5)
            except AssertionError as error:
                print(f"{name} {number}: {error}")
                failed = True
    import heddle_torch
    print("on the host:", *sorted(set(heddle_torch.host_calls())))
    print("FAIL" if failed else "PASS")
    return failed


if __name__ == "__main__":
    sys.exit(main())
