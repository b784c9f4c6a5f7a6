"""A small language model with random weights says the same words on the device as on the host, by llama.cpp as the
registry has it in a package of Python, with its weights in each of several types.

usage: llama_text.py MODEL LAYERS: what the model says, with so many of its layers on the device
"""
import ctypes
import importlib.util
import json
import os
import pathlib
import subprocess
import sys

import numpy
import pytest

# Numbers that are 1 in the mean may differ by so much: products of prompts are in halves or TF32, as llama.cpp wants
# them, and what packed weights are multiplied with is packed too.
TYPES = {"F32": 0.01, "F16": 0.03, "BF16": 0.03, "Q8_0": 0.1, "Q5_1": 0.1, "Q5_0": 0.1, "Q4_1": 0.1, "Q4_0": 0.1}
WIDTH, HIDDEN, LAYERS, HEADS, HEADS_OF_KEYS = 128, 256, 3, 4, 2
WORDS = [f"▁w{number}" for number in range(256)]
MOST_WORDS, PROMPTS = 32, ("w7 w3 w200 w41", "w250 w9 w9 w13 w77 w5 w30 w31 w32 w33 w34")


def add_words(writer):
    """A vocabulary of three marks, all bytes, and words."""
    import gguf
    kinds = gguf.TokenType
    tokens = [("<unk>", kinds.UNKNOWN), ("<s>", kinds.CONTROL), ("</s>", kinds.CONTROL)]
    tokens += [(f"<0x{byte:02X}>", kinds.BYTE) for byte in range(256)] + [(word, kinds.NORMAL) for word in WORDS]
    writer.add_tokenizer_model("llama")
    writer.add_token_list([token for token, _ in tokens])
    # A word is put together from its letters, each a token itself, the first pair first.
    writer.add_token_scores([0.0 if kind != kinds.NORMAL else float(-index) for index, (_, kind) in enumerate(tokens)])
    writer.add_token_types([int(kind) for _, kind in tokens])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    return len(tokens)


def weights(words):
    """A Llama's tensors by their names. What follows a word is most of all another one, so that two ways to round do not
    say different words."""
    random = numpy.random.default_rng(7)

    def matrix(rows, columns, size=2):
        return random.normal(0, size / columns**0.5, (rows, columns)).astype(numpy.float32)

    of_keys, one = WIDTH // HEADS * HEADS_OF_KEYS, numpy.ones(WIDTH, numpy.float32)
    meanings = matrix(words, WIDTH, 6 * WIDTH**0.5)
    following = numpy.zeros_like(meanings)  # Never a byte, nor the end.
    following[-len(WORDS):] = random.permutation(meanings[-len(WORDS):])
    made = {"token_embd": meanings, "output_norm": one, "output": following}
    for layer in range(LAYERS):
        made.update({f"blk.{layer}.{name}": values for name, values in {
            "attn_norm": one, "ffn_norm": one, "attn_q": matrix(WIDTH, WIDTH), "attn_k": matrix(of_keys, WIDTH),
            "attn_v": matrix(of_keys, WIDTH), "attn_output": matrix(WIDTH, WIDTH), "ffn_gate": matrix(HIDDEN, WIDTH),
            "ffn_up": matrix(HIDDEN, WIDTH), "ffn_down": matrix(WIDTH, HIDDEN)}.items()})
    return made


def write_model(path, kind):
    import gguf
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(256)
    writer.add_embedding_length(WIDTH)
    writer.add_feed_forward_length(HIDDEN)
    writer.add_block_count(LAYERS)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS_OF_KEYS)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    for name, values in weights(add_words(writer)).items():
        packed_as = gguf.GGMLQuantizationType[kind if values.ndim == 2 else "F32"]
        writer.add_tensor(f"{name}.weight", gguf.quants.quantize(values, packed_as), raw_dtype=packed_as)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def load_libraries():
    """Those of NVIDIA, which llama.cpp takes from the system, where the environment has them."""
    folder = pathlib.Path(importlib.util.find_spec("nvidia.cublas").submodule_search_locations[0]) / "lib"
    for name in ("libcublasLt.so.12", "libcublas.so.12"):
        ctypes.CDLL(folder / name, ctypes.RTLD_GLOBAL)


def say(path, layers):
    """What follows two texts, and what the model thinks of a third one, together and word by word."""
    load_libraries()
    import cyllama
    with cyllama.LLM(path, n_gpu_layers=layers, temperature=0.0, repeat_penalty=1.0, max_tokens=MOST_WORDS,
                     n_ctx=128) as model:
        said = [str(model(prompt)) for prompt in PROMPTS]
    tokens = range(300, 500, 9)
    return {"said": said, "thought": [think(path, layers, [tokens]), think(path, layers, [[token] for token in tokens])]}


def think(path, layers, parts):
    """The last layer's numbers for each token of a text that comes in parts."""
    from cyllama.llama import llama_cpp as llama
    model_settings, settings = llama.LlamaModelParams(), llama.LlamaContextParams()
    model_settings.n_gpu_layers = layers
    settings.n_ctx, settings.embeddings, settings.pooling_type = 128, True, 0
    model = llama.LlamaModel(path, model_settings)
    context, numbers, place = llama.LlamaContext(model, settings), [], 0
    for part in parts:
        batch = llama.LlamaBatch(n_tokens=len(part), embd=0, n_seq_max=1)
        for token in part:
            batch.add(token, place, [0], True)
            place += 1
        context.decode(batch)
        numbers += [context.get_embeddings_ith(which) for which in range(len(part))]
    return numbers


def asked(path, layers, **settings):
    ran = subprocess.run([sys.executable, __file__, path, str(layers)], capture_output=True, text=True, check=False,
                         env={**os.environ, **settings})
    assert ran.returncode == 0, f"exit status {ran.returncode}: {ran.stderr[-300:]}"
    answer = json.loads(ran.stdout.splitlines()[-1])
    return answer["said"], numpy.array(answer["thought"])


@pytest.mark.parametrize("kind", TYPES)
def test_says_the_same(kind, tmp_path):
    model = tmp_path / "model.gguf"
    write_model(model, kind)
    said, thought = asked(model, 0, CUDA_VISIBLE_DEVICES="")
    assert all(len(text.split()) == MOST_WORDS and len(set(text.split())) > 8 for text in said), f"the host says {said}"
    said_on_device, thought_on_device = asked(model, 99)
    assert said_on_device == said
    error = ((thought_on_device - thought)**2).mean()**0.5
    assert error < TYPES[kind], f"errors of {error}"


if __name__ == "__main__":
    print(json.dumps(say(sys.argv[1], int(sys.argv[2]))))
