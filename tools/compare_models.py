"""Do our readers, tokenizers and models give what the well-known libraries give, from the same files?

    python course.py models
    pip install gguf safetensors tokenizers transformers      (in an environment of its own)
    python tools/compare_models.py

Prints a line for each comparison: how much was compared, and the largest difference. The exit status is 1
where one is too large. The libraries are in no lock, because the course does not need them.
"""

import itertools
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from helpers.pretrained.gguf import read_gguf
from helpers.pretrained.language import LanguageModel
from helpers.pretrained.models import FETCH, files_of
from helpers.pretrained.packed import unpack
from helpers.pretrained.reader import SentenceReader
from helpers.pretrained.safetensors import read_safetensors

ROOT = Path(__file__).resolve().parent.parent
SENTENCE = "The animal didn't cross the street because it was too tired."


def texts() -> list[str]:
    """() -> texts that try the tokenizers: this project's own, signs of all kinds, letters at random."""
    pages = [path.read_text(encoding="utf-8") for path in sorted(ROOT.glob("*.md"))]
    code = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "helpers").glob("*.py"))]
    hard = [
        *(
            "",
            " ",
            "  a  b ",
            "\n\n\ta\r\n b",
            "x² ½ Ⅻ ٣٤ 二三 1,234.5",
            "naïve Ångström ﬁ ẞ İ",
            "it's we'LL I'd",
        ),
        *(
            "👩‍👩‍👧 ok 🇩🇪",
            "中文 and にほんご 한국어",
            "a\u200bb\u00a0c\u3000d\u2028e\u0085f",
            "_under_score__ $^+=~`|<>",
        ),
        *("don’t “quote” – dash…", "\0\ufffd\u0301 a\u0301", "Supercalifragilistic" * 8),
    ]
    rng = np.random.default_rng(15)
    # Scripts on which all versions of Unicode agree: the libraries' tables are older than Python's.
    scripts = [range(1, 0x590), range(0x1E00, 0x2E00), range(0x3000, 0xA000), range(0x1F300, 0x1F700)]
    points = [c for c in itertools.chain(*scripts) if unicodedata.category(chr(c)) not in ("Cn", "Co")]
    mixed = ["".join(chr(c) for c in rng.choice(points, 60)) for _ in range(300)]
    spaced = ["".join(rng.choice(list(" \n\tab1'.-é²"), 40)) for _ in range(300)]
    return [*pages, *code, *hard, *mixed, *spaced]


def compare_gguf(path: Path) -> Iterator[tuple[str, bool]]:
    """A GGUF file -> a line about its facts and one about its tensors, each with whether they agree."""
    import gguf

    ours, theirs = read_gguf(path), gguf.GGUFReader(path)
    fields = {name: field.contents() for name, field in theirs.fields.items() if not name.startswith("GGUF.")}
    same = all(np.array_equal(ours.facts[name], value) for name, value in fields.items())
    yield f"gguf: {len(fields)} facts", same and fields.keys() == ours.facts.keys()
    worst = 0.0
    for tensor in theirs.tensors:
        expected = gguf.quants.dequantize(tensor.data, tensor.tensor_type)
        worst = max(worst, float(abs(expected - unpack(ours.tensors[tensor.name])).max()))
    yield f"gguf: {len(theirs.tensors)} tensors, largest difference {worst:.1e}", worst <= 1e-7


def compare_safetensors(path: Path) -> Iterator[tuple[str, bool]]:
    """A safetensors file -> a line, and whether all tensors are equal."""
    from safetensors.numpy import load_file

    ours, theirs = read_safetensors(path), load_file(path)
    same = all(np.array_equal(ours[name], tensor) for name, tensor in theirs.items())
    yield f"safetensors: {len(theirs)} tensors", same and ours.keys() == theirs.keys()


def compare_tokens(name: str, ours: Any, theirs: Any) -> Iterator[tuple[str, bool]]:
    """Two functions from text to numbers -> a line, and whether they agree on all texts."""
    count, different = 0, []
    for text in texts():
        numbers = theirs(text)
        count += len(numbers)
        different += [text] if ours(text) != numbers else []
    shown = "".join(f"\n  {text[:60]!r}" for text in different[:5])
    yield (
        f"tokens of {name}: {count:,} in {len(texts())} texts, {len(different)} texts differ{shown}",
        not different,
    )


def byte_pairs_of_the_library(facts: dict[str, Any]) -> Any:
    """A model's facts -> the library's tokenizer, made from them."""
    from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers

    tokens, kinds = facts["tokenizer.ggml.tokens"], facts["tokenizer.ggml.token_type"]
    pairs = [tuple(pair.split(" ")) for pair in facts["tokenizer.ggml.merges"]]
    made = Tokenizer(models.BPE({token: number for number, token in enumerate(tokens)}, pairs))
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    special = [token for token, kind in zip(tokens, kinds, strict=True) if kind == 3]
    made.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in special])
    return made


def compare_scores(path: Path) -> Iterator[tuple[str, bool]]:
    """A GGUF file -> a line about the scores beside transformers', and whether they are close."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    facts, tensors = read_gguf(path)
    ours = LanguageModel(path, "float32")
    sizes = ours.sizes
    settings = LlamaConfig(
        vocab_size=sizes.n_tokens, hidden_size=sizes.d_model,
        intermediate_size=facts["llama.feed_forward_length"],
        num_hidden_layers=sizes.n_layers, num_attention_heads=sizes.n_heads,
        num_key_value_heads=sizes.n_kv_heads, rms_norm_eps=sizes.epsilon, rope_theta=sizes.base,
        tie_word_embeddings=True, max_position_embeddings=8192,
    )  # fmt: skip
    with torch.no_grad():
        theirs = LlamaForCausalLM(settings).eval()
        names = dict(weights_of_llama(sizes))
        state = {
            there: torch.from_numpy(in_halves(here, tensors[here], sizes)) for there, here in names.items()
        }
        theirs.load_state_dict(state | {"lm_head.weight": state["model.embed_tokens.weight"]})
        tokens = ours.tokenizer.encode((ROOT / "README.md").read_text(encoding="utf-8")[:600])
        expected = theirs(torch.tensor([tokens])).logits[0].numpy()
    worst = float(abs(ours(tokens) - expected).max())
    yield (
        f"scores of {len(tokens)} tokens: largest {abs(expected).max():.1f}, largest difference {worst:.1e}",
        worst < 1e-3,
    )


def weights_of_llama(sizes: Any) -> Iterator[tuple[str, str]]:
    """Sizes -> pairs of names: in transformers, in the GGUF file."""
    yield from (
        ("model.embed_tokens.weight", "token_embd.weight"),
        ("model.norm.weight", "output_norm.weight"),
    )
    parts = {
        "self_attn.q_proj": "attn_q",
        "self_attn.k_proj": "attn_k",
        "self_attn.v_proj": "attn_v",
        "self_attn.o_proj": "attn_output",
        "mlp.gate_proj": "ffn_gate",
        "mlp.up_proj": "ffn_up",
        "mlp.down_proj": "ffn_down",
        "input_layernorm": "attn_norm",
        "post_attention_layernorm": "ffn_norm",
    }
    for layer, (there, here) in itertools.product(range(sizes.n_layers), parts.items()):
        yield f"model.layers.{layer}.{there}.weight", f"blk.{layer}.{here}.weight"


def in_halves(name: str, blocks: Any, sizes: Any) -> Any:
    """A tensor of the file -> its numbers; queries' and keys' rows as transformers has them, in halves."""
    floats = unpack(blocks)
    if not name.endswith(("attn_q.weight", "attn_k.weight")):
        return floats
    heads = floats.reshape(-1, sizes.d_model // sizes.n_heads // 2, 2, floats.shape[1])
    return np.ascontiguousarray(heads.swapaxes(1, 2).reshape(floats.shape))


def compare_vectors(weights: Path, vocabulary: Path) -> Iterator[tuple[str, bool]]:
    """MiniLM's files -> a line about vectors and maps beside transformers', and whether they are close."""
    import torch
    from transformers import BertConfig, BertModel

    ours = SentenceReader(weights, vocabulary)
    settings = BertConfig(
        vocab_size=len(ours.tokenizer.tokens), hidden_size=384, num_hidden_layers=6, num_attention_heads=12,
        intermediate_size=1536, layer_norm_eps=1e-12, attn_implementation="eager",
    )  # fmt: skip
    with torch.no_grad():
        theirs = BertModel(settings).eval()
        state = {name: torch.from_numpy(np.array(t)) for name, t in read_safetensors(weights).items()}
        theirs.load_state_dict(state, strict=False)
        numbers = torch.tensor([ours.tokenizer.encode(SENTENCE)])
        found = theirs(numbers, output_hidden_states=True, output_attentions=True)
    reading = ours(SENTENCE)
    vectors = max(
        float(abs(a - b[0].numpy()).max()) for a, b in zip(reading.vectors, found.hidden_states, strict=True)
    )
    maps = max(
        float(abs(a - b[0].numpy()).max()) for a, b in zip(reading.weights, found.attentions, strict=True)
    )
    yield (
        f"MiniLM: largest difference of vectors {vectors:.1e}, of weights {maps:.1e}",
        max(vectors, maps) < 1e-4,
    )


def main() -> int:
    """() -> the exit status, after printing every comparison."""
    smollm, minilm = files_of("smollm2"), files_of("minilm")
    if smollm is None or minilm is None:
        print(f"The models are not here: {FETCH}", file=sys.stderr)
        return 2
    from transformers import BertTokenizer

    model = LanguageModel(smollm[0])
    reader = SentenceReader(*minilm)
    library = byte_pairs_of_the_library(read_gguf(smollm[0]).facts)
    bert = BertTokenizer(str(minilm[1]), do_lower_case=True)
    lines = itertools.chain(
        compare_gguf(smollm[0]),
        compare_safetensors(minilm[0]),
        compare_tokens("SmolLM2", model.tokenizer.encode, lambda text: library.encode(text).ids),
        compare_tokens("MiniLM", reader.tokenizer.encode, lambda text: bert(text)["input_ids"]),
        compare_scores(smollm[0]),
        compare_vectors(*minilm),
    )
    good = True
    for line, agrees in lines:
        print("ok  " if agrees else "NOT ", line, flush=True)
        good &= agrees
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
