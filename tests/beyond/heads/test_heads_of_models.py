"""The examples of the help and of the page, on toy models that store their heads as real ones do.

Each attention is computed by hand from the modules, as the library of the model computes it.
"""

from __future__ import annotations

import argparse
import json
import shlex
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from torch import nn

from nta_beyond.command import main
from nta_beyond.heads import Head, MissingTensor
from nta_beyond.heads.command import EXAMPLES, _named, _names, add_head

ROOT = Path(__file__).resolve().parents[3]
HEAD, CONTEXT = 3, [3, 0, 6, 3, 2]
Attention = Callable[[torch.Tensor], tuple[torch.Tensor, torch.Tensor]]


class Toy(nn.Module):
    """A model with one layer: embeddings, a norm, and queries and keys of a context by hand."""

    def __init__(self, K: int, d: int, norm: nn.Module) -> None:
        super().__init__()
        self.embedding, self.norm = nn.Embedding(K, d), norm
        for part in norm.parameters():
            nn.init.normal_(part)

    def attention(self, attend: Attention) -> np.ndarray:
        """Attention of the last place in head 3; queries and keys are (place, head, number)."""
        with torch.no_grad():
            queries, keys = attend(self.norm(self.embedding.weight[CONTEXT]))
            query, key = queries[-1, HEAD], keys[:, HEAD]
            return torch.softmax(key @ query / len(query) ** 0.5, dim=0).numpy()


Made = tuple[dict[str, torch.Tensor], dict[str, str], np.ndarray, SimpleNamespace]


def gpt2() -> Made:
    names = ["->", "Ġ->", "the", "Ġthe", "Ġcat", "Ġsat", "cat", "Ġ", "ĠĠ"]
    toy, d = Toy(len(names), 24, nn.LayerNorm(24)), 24
    c_attn = SimpleNamespace(weight=torch.randn(d, 3 * d), bias=torch.randn(3 * d))
    tensors = {
        "wte.weight": toy.embedding.weight,
        "wpe.weight": torch.randn(5, d),
        "h.0.ln_1.weight": toy.norm.weight,
        "h.0.ln_1.bias": toy.norm.bias,
        "h.0.attn.c_attn.weight": c_attn.weight,
        "h.0.attn.c_attn.bias": c_attn.bias,
    }

    def attend(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        query, key, _ = (x @ c_attn.weight + c_attn.bias).split(d, dim=-1)
        return query.reshape(len(x), 12, -1), key.reshape(len(x), 12, -1)

    files = {"vocab.json": json.dumps({name: k for k, name in enumerate(names)})}
    files["tokens.txt"] = "Ġthe Ġcat -> Ġthe Ġcat Ġsat " * 30
    return tensors, files, toy.attention(attend), SimpleNamespace(c_attn=c_attn, num_heads=12)


def llama() -> Made:
    names = ["<unk>", "▁the", "▁cat", "→", "⇒", "->", "▁▁", "<0x0A>", "\u2028"]
    toy = Toy(len(names), 64, nn.RMSNorm(64, eps=1e-5))
    layer = nn.Module()
    layer.q_proj, layer.k_proj = nn.Linear(64, 64, bias=False), nn.Linear(64, 16, bias=False)
    layer.config = SimpleNamespace(num_attention_heads=32)
    tensors = {
        "model.embed_tokens.weight": toy.embedding.weight,
        "model.layers.0.input_layernorm.weight": toy.norm.weight,
        "model.layers.0.self_attn.q_proj.weight": layer.q_proj.weight,
        "model.layers.0.self_attn.k_proj.weight": layer.k_proj.weight,
    }

    def attend(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        key = layer.k_proj(x).reshape(len(x), 8, 2).repeat_interleave(4, dim=1)
        return layer.q_proj(x).reshape(len(x), 32, 2), key

    told = json.dumps({"model": {"vocab": {name: k for k, name in enumerate(names)}}})
    page = SimpleNamespace(
        layer=SimpleNamespace(self_attn=layer, input_layernorm=toy.norm),
        model=SimpleNamespace(embed_tokens=toy.embedding),
    )
    return tensors, {"tokenizer.json": told}, toy.attention(attend), page


def pythia() -> Made:
    names, padding = ["<|endoftext|>", "Ġthe", "->", "Ġ->", "cat"], 27
    added = ["   ", "  "]
    K = len(names) + len(added) + padding
    toy, matrix = Toy(K, 16, nn.LayerNorm(16)), nn.Linear(16, 48)
    layer = nn.Module()
    layer.query_key_value, layer.config = matrix, SimpleNamespace(num_attention_heads=8)
    at = "gpt_neox.layers.0"
    tensors = {
        "gpt_neox.embed_in.weight": toy.embedding.weight,
        f"{at}.input_layernorm.weight": toy.norm.weight,
        f"{at}.input_layernorm.bias": toy.norm.bias,
        f"{at}.attention.query_key_value.weight": matrix.weight,
        f"{at}.attention.query_key_value.bias": matrix.bias,
        "embed_out.weight": torch.randn(K, 16),
    }

    def attend(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        query, key, _ = matrix(x).reshape(len(x), 8, 6).chunk(3, dim=-1)
        return query, key

    vocab = {name: k for k, name in enumerate(names)}
    more = [{"content": name, "id": len(names) + k} for k, name in enumerate(added)]
    told = json.dumps({"model": {"vocab": vocab}, "added_tokens": more})
    page = SimpleNamespace(
        layer=SimpleNamespace(attention=layer, input_layernorm=toy.norm),
        model=SimpleNamespace(embed_in=toy.embedding),
    )
    return tensors, {"tokenizer.json": told}, toy.attention(attend), page


def bert() -> Made:
    names = ["[PAD]", "[UNK]", "the", "→", "⇒", "##ing", "cat"]
    toy = Toy(len(names), 24, nn.LayerNorm(24, eps=1e-12))
    query, key = nn.Linear(24, 24), nn.Linear(24, 24)
    at = "bert.encoder.layer.0.attention.self"
    tensors = {
        "bert.embeddings.word_embeddings.weight": toy.embedding.weight,
        "bert.embeddings.position_embeddings.weight": torch.randn(5, 24),
        "bert.embeddings.LayerNorm.gamma": toy.norm.weight,
        "bert.embeddings.LayerNorm.beta": toy.norm.bias,
        **{f"{at}.query.{name}": value for name, value in query.state_dict().items()},
        **{f"{at}.key.{name}": value for name, value in key.state_dict().items()},
    }

    def attend(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return query(x).reshape(len(x), 12, 2), key(x).reshape(len(x), 12, 2)

    told = toy.attention(attend)
    return tensors, {"vocab.txt": "\n".join(names) + "\n"}, told, SimpleNamespace()


MODELS = {"GPT-2": gpt2, "Llama": llama, "Pythia": pythia, "BERT": bert}


def command_of(model: str) -> list[str]:
    """The command of the help for a model, without the name of the program."""
    lines = EXAMPLES.replace("\\\n", " ").splitlines()
    line = next(line for line in lines if line.strip().startswith(f"{model}:"))
    words = shlex.split(line.partition(":")[2])
    assert words[:2] == ["nta", "head"]
    return words[1:]


COMMANDS = {model: command_of(model) for model in MODELS}
NEEDED = ("--heads", "--packed", "--norm-kind", "--padding")


def stored(model: str) -> np.ndarray:
    """Write the files of a toy into the folder; its attention by hand."""
    torch.manual_seed(0)
    tensors, files, told, _ = MODELS[model]()
    contiguous = {name: value.detach().contiguous() for name, value in tensors.items()}
    save_file(contiguous, "model.safetensors")
    for name, text in files.items():
        Path(name).write_text(text, encoding="utf-8")
    return told


@pytest.mark.parametrize("model", MODELS)
def test_the_examples_of_the_help(
    model: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    told, parser = stored(model), argparse.ArgumentParser()
    add_head(parser.add_subparsers())
    options = parser.parse_args(COMMANDS[model])
    assert options.head == HEAD
    head = Head.from_safetensors(options.file, **_named(options), names=_names(options))
    np.testing.assert_allclose(head.attention(CONTEXT), told, atol=1e-5)
    assert main(COMMANDS[model]) == 0
    said = capsys.readouterr().out
    assert f"The embeddings pass the norm {options.norm} (" in said
    if options.out:
        assert options.out.read_text("utf-8").startswith("<!doctype html>")


@pytest.mark.parametrize(
    ("model", "needed"),
    [(model, word) for model in MODELS for word in NEEDED if word in COMMANDS[model]],
)
def test_what_the_examples_say_is_needed(
    model: str,
    needed: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    stored(model)
    at = COMMANDS[model].index(needed)
    assert main([*COMMANDS[model][:at], *COMMANDS[model][at + 2 :]]) == 1
    assert needed in capsys.readouterr().err


def test_the_examples_of_the_page() -> None:
    """The code of the page, run with toys under its names."""
    cells = json.loads((ROOT / "book/bring_your_own_head.ipynb").read_text("utf-8"))["cells"]
    text = "".join(next(c for c in cells if c["id"] == "other-places")["source"])
    calls = text.partition("```python\n")[2].partition("```")[0].split("Head.")
    torch.manual_seed(0)
    state, told, Q = *gpt2()[::2][:2], np.eye(4)
    scope = {"Head": Head, "W_Q": Q, "W_K": Q, "E": Q, "vocabulary": [*"abcd"]}
    model = SimpleNamespace(state_dict=lambda: state)
    pages = [({"model": model}, told)]
    pages += [(vars(made[3]), made[2]) for made in (llama(), pythia())]
    for call, (names, right) in zip(calls[1:-1], pages, strict=True):
        code = f"{calls[0]}\nfound = Head.{call.rpartition(')')[0]})"
        exec(code, scope := {**scope, **names})
        np.testing.assert_allclose(scope["found"].attention(CONTEXT), right, atol=1e-5)
    exec(f"found = Head.{calls[-1]}", scope)
    assert scope["found"].names == tuple("abcd")


def test_a_toy_is_asked_for_its_own_names() -> None:
    """The planted fault: another model's command finds no tensors in it."""
    state = bert()[0]
    with pytest.raises(MissingTensor):
        Head.from_state(state, query="h.0.attn.c_attn.weight", key="k", embedding="wte.weight")
