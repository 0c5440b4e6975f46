"""helpers.pretrained: text to tokens and back, by byte pairs and by word pieces."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_files import LETTERS, PAIRS, TOKENS, tiny_facts

from helpers.pretrained import byte_pairs, word_pieces
from helpers.pretrained.byte_pairs import BYTES, BytePairs, tokenizer_of
from helpers.pretrained.bytes import ModelFileError
from helpers.pretrained.word_pieces import WordPieces

PIECES = [
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "un",
    "##want",
    "##ed",
    "wanted",
    "want",
    ",",
    "run",
    "##ning",
    "中",
    "e",
]


def named(tokenizer: BytePairs | WordPieces, text: str) -> list[str]:
    return [tokenizer.tokens[number] for number in tokenizer.encode(text)]


def test_the_pair_that_was_learned_first_is_joined_first() -> None:
    tokenizer = BytePairs(TOKENS, PAIRS, ["<|end|>"])
    assert named(tokenizer, "the thin") == ["the", "Ġ", "th", "in"]  # "t h" was learned before "Ġ t"
    assert named(tokenizer, "hint") == ["h", "in", "t"]
    assert named(tokenizer, " the") == ["Ġthe"]


def test_pairs_are_joined_by_rank_and_not_from_the_left() -> None:
    tokenizer = BytePairs(["a", "b", "c", "ab", "bc"], ["b c", "a b"])
    assert named(tokenizer, "abc") == ["a", "bc"]


def test_a_special_token_is_one_and_text_beside_it_stays() -> None:
    tokenizer = BytePairs(TOKENS, PAIRS, ["<|end|>"])
    assert named(tokenizer, "the<|end|>in") == ["the", "<|end|>", "in"]
    assert tokenizer.decode(tokenizer.encode("the<|end|> in")) == "the<|end|> in"
    assert named(BytePairs(TOKENS, PAIRS), "<|end|>") == [
        "e",
        "n",
        "d",
    ]  # not special, and < has no token here


def test_a_byte_without_a_token_is_left_out_and_half_a_letter_is_marked() -> None:
    tokenizer = BytePairs(sorted(BYTES), [])
    assert tokenizer.decode(tokenizer.encode("é")) == "é"
    assert tokenizer.decode(tokenizer.encode("é")[:1]) == "�"
    assert BytePairs(LETTERS, PAIRS).encode("\x00") == []


@given(st.text(max_size=40))
def test_every_text_comes_back(text: str) -> None:
    tokenizer = BytePairs(sorted(BYTES), [])
    assert tokenizer.decode(tokenizer.encode(text)) == text
    assert "".join(byte_pairs.words(text)) == text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It's  1984, I'd say", ["It", "'s", "  ", "1", "9", "8", "4", ",", " I", "'d", " say"]),
        ("x² ½ 二", ["x", "²", " ", "½", " 二"]),
        ("a\n\n b_c (d)", ["a", "\n\n", " b", "_", "c", " (", "d", ")"]),
        ("IT'S", ["IT", "'", "S"]),
        ("end  ", ["end", "  "]),
    ],
)
def test_where_words_end(text: str, words: list[str]) -> None:
    assert byte_pairs.words(text) == words


def test_the_tokenizer_of_a_file_and_of_one_of_another_kind() -> None:
    assert named(tokenizer_of({**tiny_facts()}), "in<|end|>") == ["in", "<|end|>"]
    with pytest.raises(ModelFileError, match="the file's tokenizer is 'llama', 'smollm'; this one is 'gpt2'"):
        tokenizer_of(tiny_facts(tokenizer__ggml__model="llama"))


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("unwanted, running", ["un", "##want", "##ed", ",", "run", "##ning"]),
        ("UNWANTED", ["un", "##want", "##ed"]),
        ("wanted", ["wanted"]),
        ("unx", ["[UNK]"]),
        ("run中run", ["run", "中", "run"]),
        ("é", ["e"]),
        ("run\u200bning \0 run", ["run", "##ning", "run"]),
        ("", []),
        ("want" * 26, ["[UNK]"]),
    ],
)
def test_a_word_is_its_longest_beginning_and_then_its_rest(text: str, pieces: list[str]) -> None:
    assert named(WordPieces(PIECES), text) == ["[CLS]", *pieces, "[SEP]"]


def test_signs_stand_alone() -> None:
    assert word_pieces.words("It's 3$—ok? a_b") == ["it", "'", "s", "3", "$", "—", "ok", "?", "a", "_", "b"]
