"""What programs use of PyTorch beside operators, on the device and on the host.

Where results are determined, those of the device have to be those of the host within the
tolerances of torch.testing.
"""
import copy
import io

import pytest
import torch
from torch import nn
from torch.nn import functional
from torch.utils.data import DataLoader, TensorDataset

DEVICES = ("cpu", "cuda")


def close(found, expected, **tolerances):
    torch.testing.assert_close(found, expected, check_device=False, **tolerances)


def perceptron():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(12, 24), nn.GELU(), nn.LayerNorm(24), nn.Linear(24, 5))


def batch(device, rows=16):
    torch.manual_seed(1)
    return torch.randn(rows, 12).to(device), torch.randint(0, 5, (rows,)).to(device)


def stepped(device, make, **options):
    """The weights of a perceptron behind some steps of an optimiser."""
    model, (x, y) = perceptron().to(device), batch(device)
    optimizer, steps = make(model.parameters(), **options), 4
    if make is torch.optim.LBFGS:  # A step is of several, and small differences grow in each.
        optimizer, steps = make(model.parameters(), max_iter=5, **options), 1

    def closure():
        optimizer.zero_grad()
        loss = functional.cross_entropy(model(x), y)
        loss.backward()
        return loss

    for _ in range(steps):
        optimizer.step(closure)
    return list(model.parameters())


OPTIMIZERS = {name: getattr(torch.optim, name) for name in sorted(dir(torch.optim))
              if isinstance(getattr(torch.optim, name), type) and name not in ("Optimizer", "SparseAdam")}
IMPLEMENTATIONS = {"default": {}, "foreach": {"foreach": True}, "for": {"foreach": False}, "fused": {"fused": True}}


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizer(name, implementation):
    if name == "Muon":
        pytest.skip("takes matrices only")
    options = IMPLEMENTATIONS[implementation]
    try:
        OPTIMIZERS[name]([nn.Parameter(torch.zeros(2, device="cuda"))], **options)
    except TypeError:
        pytest.skip("has no such implementation")
    plain = {} if implementation in ("default", "fused") else options
    close(stepped("cuda", OPTIMIZERS[name], **options), stepped("cpu", OPTIMIZERS[name], **plain), rtol=1e-3, atol=1e-5)


def test_muon():
    def weights(device):
        model, (x, y) = perceptron().to(device), batch(device)
        matrices = [layer.weight for layer in model if isinstance(layer, nn.Linear)]
        optimizer = torch.optim.Muon(matrices)
        for _ in range(3):
            optimizer.zero_grad()
            functional.cross_entropy(model(x), y).backward()
            optimizer.step()
        return matrices

    close(weights("cuda"), weights("cpu"), rtol=1e-2, atol=1e-3)  # Its root of a matrix is in bfloat16.


def test_schedulers_set_the_rate():
    def rates(device):
        model = perceptron().to(device)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.5, total_steps=6)
        found = []
        for _ in range(5):
            optimizer.step()
            scheduler.step()
            found.append(optimizer.param_groups[0]["lr"])
        return found

    assert rates("cuda") == rates("cpu")


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_mixed_precision(dtype):
    def losses(device):
        model, (x, y) = perceptron().to(device), batch(device)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        scaler = torch.amp.GradScaler(device, enabled=dtype == torch.float16)
        found = []
        for _ in range(5):
            optimizer.zero_grad()
            with torch.autocast(device, dtype=dtype):
                loss = functional.cross_entropy(model(x), y)
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
            found.append(loss.item())
        return torch.tensor(found)

    found = losses("cuda")
    close(found, losses("cpu"), rtol=2e-2, atol=2e-2)
    assert found[-1] < found[0]


def test_scaler_leaves_out_steps_that_overflow():
    weight = nn.Parameter(torch.ones(4, device="cuda"))
    optimizer, scaler = torch.optim.SGD([weight], lr=1.0), torch.amp.GradScaler("cuda", init_scale=4.0)
    scaler.scale((weight * torch.tensor([1, float("inf"), 1, 1], device="cuda")).sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    assert scaler.get_scale() == 2.0
    assert weight.tolist() == [1, 1, 1, 1]


def test_graph_of_steps():
    def trained(captures):
        model, (x, y) = perceptron().cuda(), batch("cuda")
        optimizer = torch.optim.Adam(model.parameters(), capturable=True)

        def step():
            optimizer.zero_grad(set_to_none=True)
            functional.cross_entropy(model(x), y).backward()
            optimizer.step()

        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(3):
                step()
        torch.cuda.current_stream().wait_stream(stream)
        if not captures:
            step()
            step()
            return list(model.parameters())
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            step()
        graph.replay()
        graph.replay()
        return list(model.parameters())

    close(trained(True), trained(False))


def test_graphed_callable():
    model, (x, _) = perceptron().cuda(), batch("cuda")
    with torch.no_grad():
        expected = model(x)
    graphed = torch.cuda.make_graphed_callables(model, (torch.randn_like(x),))
    found = graphed(x)
    found.sum().backward()
    close(found, expected)


def test_graph_has_new_random_numbers():
    x = torch.zeros(1000, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        x.copy_(torch.rand(1000, device="cuda"))
    graph.replay()
    first = x.clone()
    graph.replay()
    assert not torch.equal(first, x)
    assert 0.4 < x.mean().item() < 0.6


def test_streams_and_events():
    side, done = torch.cuda.Stream(), torch.cuda.Event(enable_timing=True)
    begin = torch.cuda.Event(enable_timing=True)
    x = torch.arange(1 << 16, device="cuda", dtype=torch.float32)
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        begin.record()
        y = x * 2 + 1
        done.record()
    y.record_stream(side)
    torch.cuda.current_stream().wait_event(done)
    total = (y - 1).sum()
    done.synchronize()
    assert done.query() and begin.elapsed_time(done) > 0
    close(total, torch.arange(1 << 16, dtype=torch.float32).sum() * 2)


@pytest.mark.parametrize("workers", [0, 2])
def test_loader_pins_batches(workers):
    x, y = batch("cpu", rows=20)
    loader = DataLoader(TensorDataset(x, y), batch_size=6, num_workers=workers, pin_memory=True)
    found = []
    for part, _ in loader:
        assert part.is_pinned()
        found.append(part.to("cuda", non_blocking=True))
    close(torch.cat(found), x)


def test_pickles():
    model, (x, y) = perceptron().cuda(), batch("cuda")
    optimizer = torch.optim.Adam(model.parameters())
    functional.cross_entropy(model(x), y).backward()
    optimizer.step()
    file = io.BytesIO()
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, file)
    for place in DEVICES:
        file.seek(0)
        state = torch.load(file, map_location=place)
        other = perceptron().to(place)
        other.load_state_dict(state["model"])
        torch.optim.Adam(other.parameters()).load_state_dict(state["optimizer"])
        close(other(x.to(place)), model(x), rtol=1e-4, atol=1e-5)
    file.seek(0)
    assert torch.load(file)["model"]["0.weight"].device == torch.device("cuda", 0)


def test_random_numbers_follow_the_seed():
    def drawn():
        return [torch.randn(33, device="cuda"), torch.randint(0, 9, (5,), device="cuda"),
                functional.dropout(torch.ones(64, device="cuda")), torch.randperm(17, device="cuda"),
                torch.bernoulli(torch.full((40,), 0.3, device="cuda"))]

    torch.manual_seed(3)
    first = drawn()
    state = torch.cuda.get_rng_state()
    second = drawn()
    torch.cuda.set_rng_state(state)
    close(drawn(), second, rtol=0, atol=0)
    torch.manual_seed(3)
    close(drawn(), first, rtol=0, atol=0)
    assert not torch.equal(first[0], second[0])
    own = torch.Generator("cuda").manual_seed(3)
    assert torch.equal(torch.randn(33, device="cuda", generator=own), first[0])


def test_random_numbers_are_those_of_a_gpu():
    """What PyTorch prints on NVIDIA's GPUs for a seed of 0."""
    torch.manual_seed(0)
    expected = torch.tensor([0.3990, 0.5167, 0.0249, 0.9401, 0.9459, 0.7967, 0.4150, 0.8203])
    close(torch.rand(8, device="cuda"), expected, rtol=0, atol=6e-5)
    torch.manual_seed(0)
    expected = torch.tensor([-0.9247, -0.4253, -2.6438, 0.1452, -0.1209, -0.5797, -0.6229, -0.3284])
    close(torch.randn(8, device="cuda"), expected, rtol=0, atol=6e-5)


def test_dropout_keeps_the_mean():
    torch.manual_seed(0)
    x = torch.ones(100_000, device="cuda", requires_grad=True)
    y = functional.dropout(x, 0.25)
    y.sum().backward()
    kept = (y > 0).float().mean().item()
    assert abs(kept - 0.75) < 0.01
    close(y.detach(), torch.where(y > 0, 4 / 3, 0.0))
    close(x.grad, y.detach())


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_attention(causal, dtype):
    def results(device):
        torch.manual_seed(0)
        parts = [torch.randn(2, 4, 40, 16).to(device, dtype).requires_grad_() for _ in range(3)]
        found = functional.scaled_dot_product_attention(*parts, is_causal=causal)
        found.float().square().sum().backward()
        return [found, *(part.grad for part in parts)]

    close(results("cuda"), results("cpu"), **({} if dtype == torch.float32 else {"rtol": 3e-2, "atol": 3e-2}))


@pytest.mark.parametrize("compiles", [False, True])
def test_flexible_attention(compiles):
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    def in_window(b, h, q, k):
        return (q >= k) & (q - k < 64)

    def bias(score, b, h, q, k):
        return score - 0.1 * (q - k)

    torch.manual_seed(0)
    parts = [torch.randn(1, 2, 128, 32) for _ in range(3)]
    mask = create_block_mask(in_window, None, None, 128, 128, device="cpu")
    expected = flex_attention(*parts, score_mod=bias, block_mask=mask)
    mask = create_block_mask(in_window, None, None, 128, 128, device="cuda")
    attend = torch.compile(flex_attention) if compiles else flex_attention
    found = attend(*(part.cuda() for part in parts), score_mod=bias, block_mask=mask)
    close(found, expected, rtol=2e-2, atol=2e-2)  # Its products may be in tf32.


def test_compiled_training():
    def losses(device, compiles):
        model, (x, y) = perceptron().to(device), batch(device)
        run = torch.compile(model) if compiles else model
        optimizer = torch.optim.AdamW(model.parameters(), 1e-2)
        found = []
        for _ in range(4):
            optimizer.zero_grad()
            loss = functional.cross_entropy(run(x), y)
            loss.backward()
            optimizer.step()
            found.append(loss.item())
        return torch.tensor(found)

    close(losses("cuda", True), losses("cpu", False), rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("mode", ["reduce-overhead", "max-autotune-no-cudagraphs"])
def test_compiled_in_mode(mode):
    x = torch.randn(64, 48)
    weight = torch.randn(48, 32)

    def layer(x, weight):
        return torch.softmax(functional.relu(x @ weight), 1)

    compiled = torch.compile(layer, mode=mode)
    for _ in range(3):
        found = compiled(x.cuda(), weight.cuda()).clone()
    close(found, layer(x, weight), rtol=1e-3, atol=1e-4)


def test_compiled_with_dynamic_shapes():
    @torch.compile(dynamic=True)
    def normalised(x):
        return (x - x.mean(1, keepdim=True)) / x.std(1, keepdim=True)

    for rows in (3, 17, 40):
        x = torch.randn(rows, rows + 5)
        close(normalised(x.cuda()), normalised(x), rtol=1e-4, atol=1e-5)


def test_checkpoint_recomputes():
    from torch.utils.checkpoint import checkpoint

    def gradients(wraps):
        model, (x, _) = perceptron().cuda(), batch("cuda")
        torch.manual_seed(5)
        body = nn.Sequential(model, nn.Dropout(0.5))
        (checkpoint(body, x, use_reentrant=False) if wraps else body(x)).sum().backward()
        return [parameter.grad for parameter in model.parameters()]

    close(gradients(True), gradients(False))


def test_functional_transforms():
    from torch.func import functional_call, grad, jacrev, vmap

    def results(device):
        model, (x, y) = perceptron().to(device), batch(device)
        weights = dict(model.named_parameters())

        def loss(weights, row, label):
            return functional.cross_entropy(functional_call(model, weights, row[None]), label[None])

        each = vmap(grad(loss), in_dims=(None, 0, 0))(weights, x, y)
        return [each["0.weight"], jacrev(lambda row: model(row))(x[0])]

    close(results("cuda"), results("cpu"), rtol=1e-4, atol=1e-5)


def test_embeddings_and_losses():
    def results(device):
        torch.manual_seed(0)
        words = nn.Embedding(50, 16, padding_idx=0, scale_grad_by_freq=True).to(device)
        bags = nn.EmbeddingBag(50, 16, mode="mean").to(device)
        text = torch.randint(0, 50, (6, 9)).to(device)
        labels = torch.randint(-1, 16, (54,)).to(device)
        found = functional.cross_entropy(words(text).flatten(0, 1), labels, ignore_index=-1, label_smoothing=0.1)
        (found + bags(text).square().sum()).backward()
        return [found, words.weight.grad, bags.weight.grad]

    close(results("cuda"), results("cpu"))


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU, nn.RNN])
def test_recurrent_layers(kind):
    def results(device):
        torch.manual_seed(0)
        layer, x = kind(8, 12, num_layers=2, bidirectional=True).to(device), torch.randn(7, 3, 8).to(device)
        found, _ = layer(x)
        found.square().sum().backward()
        return [found, *(parameter.grad for parameter in layer.parameters())]

    close(results("cuda"), results("cpu"), rtol=1e-4, atol=1e-5)


def test_transformer_layer():
    def results(device):
        torch.manual_seed(0)
        layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True).to(device)
        x = torch.randn(2, 10, 32).to(device)
        trained = layer(x)
        layer.eval()
        with torch.inference_mode():
            return [trained.detach(), layer(x)]

    close(results("cuda"), results("cpu"), rtol=1e-4, atol=1e-5)


def test_memory_is_counted():
    torch.cuda.empty_cache()
    before = torch.cuda.memory_allocated()
    x = torch.empty(1 << 20, device="cuda")
    assert torch.cuda.memory_allocated() - before == 4 << 20
    assert torch.cuda.max_memory_allocated() >= before + (4 << 20)
    del x
    assert torch.cuda.memory_allocated() == before
    free, total = torch.cuda.mem_get_info()
    assert 0 < free <= total


def test_nested_tensors():
    def results(device):
        torch.manual_seed(0)
        parts = [torch.randn(n, 8).to(device) for n in (3, 7, 5)]
        nested = torch.nested.nested_tensor(parts, layout=torch.jagged)
        return functional.linear(nested, torch.ones(4, 8, device=device)).to_padded_tensor(0.0)

    close(results("cuda"), results("cpu"), rtol=1e-4, atol=1e-5)


def test_sparse_products():
    def results(device):
        torch.manual_seed(0)
        dense = torch.randn(12, 10).relu().to(device)
        x = torch.randn(10, 4).to(device)
        return [dense.to_sparse() @ x, dense.to_sparse_csr() @ x, dense.to_sparse().coalesce().to_dense()]

    close(results("cuda"), results("cpu"))


def test_copied_model_is_its_own():
    model, (x, _) = perceptron().cuda(), batch("cuda")
    other = copy.deepcopy(model)
    with torch.no_grad():
        for parameter in other.parameters():
            parameter.zero_()
    close(other(x), torch.zeros(16, 5))
    assert model(x).abs().sum().item() > 0


def test_channels_last():
    def results(device):
        torch.manual_seed(0)
        layer = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2)).to(
            device, memory_format=torch.channels_last)
        x = torch.randn(2, 3, 12, 10).to(device, memory_format=torch.channels_last)
        found = layer(x)
        found.sum().backward()
        return [found, layer[0].weight.grad, layer[1].running_var]

    close(results("cuda"), results("cpu"), rtol=1e-4, atol=1e-4)


def tiled(scale):
    """Factors of rows and columns tile by tile, as tensor cores take them."""
    rows, columns = scale.size()
    tiles = scale.view(rows // 128, 4, 32, columns // 4, 4).permute(0, 3, 2, 1, 4)
    return tiles.contiguous().flatten()


def narrow(size, inner, halves):
    """A random matrix of eight bits, or of four, and what its elements are."""
    if not halves:
        made = torch.randn(size, inner).to(torch.float8_e4m3fn)
        return made, made.double()
    bits = torch.randint(0, 256, (size, inner // 2), dtype=torch.uint8)
    numbers = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6, 0, -0.5, -1, -1.5, -2, -3, -4, -6], dtype=torch.float64)
    return bits.view(torch.float4_e2m1fn_x2), numbers[torch.stack([bits & 15, bits >> 4], -1).long()].flatten(1)


# The type of factors, and of how many rows and columns there is one.
SCALES = {"whole": (torch.float32, 256, 256), "rows": (torch.float32, 1, 256),
          "blocks of 32": (torch.float8_e8m0fnu, 1, 32), "blocks of 16": (torch.float8_e4m3fn, 1, 16)}


@pytest.mark.parametrize("kind", SCALES)
def test_scaled_product(kind):
    torch.manual_seed(0)
    dtype, high, long = SCALES[kind]
    parts, scales, wide = [], [], []
    for _ in range(2):
        part, values = narrow(256, 256, long == 16)
        scale = (torch.rand(256 // high, 256 // long) + 0.5).to(dtype)
        factors = scale.double().repeat_interleave(high, 0).repeat_interleave(long, 1)
        parts.append(part.cuda())
        wide.append(values * factors)
        scales.append((scale if dtype == torch.float32 else tiled(scale)).cuda())
    if dtype == torch.float32:
        scales[1] = scales[1].t()
    found = torch._scaled_mm(parts[0], parts[1].t(), *scales, out_dtype=torch.float32)
    close(found.cpu().double(), wide[0] @ wide[1].t(), rtol=1e-4, atol=1e-2)


def test_error_of_a_program():
    with pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
        torch.ones(2, 3, device="cuda") @ torch.ones(2, 3, device="cuda")
    assert torch.ones(2, device="cuda").sum().item() == 2
