"""audit-table, lesson 04:"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from helpers.exercises.kinds.predict import Slip
from helpers.exercises.kinds.table import Table
from helpers.softmax import softmax
from helpers.validation import Array

ROOT_2 = math.sqrt(2)
AUDIT = "04: A published example, audited"
TOKENS = ("I", "love", "statistics")
EMBEDDINGS = np.array([[0.2, 0.5, 0.7], [0.4, 0.8, 0.6], [0.1, 0.6, 0.9]])
AUDIT_Q = EMBEDDINGS @ np.array([[0.1, 0.3], [0.2, 0.4], [0.5, 0.6]])
AUDIT_K = EMBEDDINGS @ np.array([[0.6, 0.2], [0.3, 0.5], [0.7, 0.9]])
AUDIT_V = EMBEDDINGS @ np.array([[0.5, 0.8], [0.2, 0.3], [0.4, 0.6]])
ASKING = TOKENS.index("I")


def _audit(scores: Array, root: float = ROOT_2) -> Array:
    """Scores of one query -> its three rows: score, scaled score, weight, first entry of weighted value."""
    weights = softmax(scores / root)
    return np.stack([scores, scores / root, weights, weights * AUDIT_V[:, 0]], axis=1)


AUDITED = _audit(AUDIT_K @ AUDIT_Q[ASKING])
OF_LOVE = _audit(AUDIT_K @ AUDIT_Q[TOKENS.index("love")])
UNSCALED = softmax(AUDITED[:, 0])
PUBLISHED_QUERY = np.array([0.59, 0.78])
PUBLISHED_KEYS = np.array([[0.48, 0.54], [0.68, 0.82], [0.77, 1.12]])
PUBLISHED_VALUES = np.array([0.66, 1.02, 0.66])  # their first entries
PUBLISHED_SCORES = np.array([0.5152, 0.7178, 0.8934])
PUBLISHED_WEIGHTS = np.array([0.3012, 0.3675, 0.3313])
PUBLISHED_PARTS = np.array([0.1988, 0.3743, 0.2184])


def _slip(name: str, column: Array, reply: str) -> Slip:
    """A slip of the audit table whose wrong column is known number by number."""
    by_token = dict(zip(TOKENS, column.tolist(), strict=True))
    return Slip(name, by_token.get, reply)


def _next_of_audit(column: int, before: Mapping[Any, float]) -> dict[Any, float]:
    """What the learner's own column leads to in the next one; a weight needs all three scores."""
    if column == 1:
        return {token: score / ROOT_2 for token, score in before.items()}
    if column == 3:
        return {token: weight * AUDIT_V[TOKENS.index(token), 0] for token, weight in before.items()}
    if len(before) < len(TOKENS):
        return {}
    weights = softmax(np.array([before[token] for token in TOKENS]))
    return dict(zip(TOKENS, weights.tolist(), strict=True))


PAGE = 'That is what the page prints, for the query "love" and from numbers that its matrices do not give.'
THE_PAGES = (
    "Those come from the {0} that the page prints, which do not follow from its matrices. Compute the "
    "{0}: embeddings @ W_{1}_page."
)
PAGES_QUERY = (
    'Those come from the query that the page prints. It belongs to "love", and does not follow from the '
    'page\'s matrices. Compute that of "I": its embedding @ W_Q_page.'
)
LOVES = 'That belongs to the query "love", which the lesson audits. Here "I" asks.'
EXERCISE = Table(
    name="audit-table",
    task='The audited page once more, for the query of "I".',
    row_name="key",
    labels=TOKENS,
    columns=("score", "scaled score", "weight", "first entry of the weighted value"),
    row=lambda token: AUDITED[TOKENS.index(token)].tolist(),
    slips=(
        (
            _slip("query-of-love", OF_LOVE[:, 0], LOVES),
            _slip("published-scores", PUBLISHED_SCORES, PAGE),
            _slip("published-keys", PUBLISHED_KEYS @ AUDIT_Q[ASKING], THE_PAGES.format("keys", "K")),
            _slip("published-query", AUDIT_K @ PUBLISHED_QUERY, PAGES_QUERY),
            _slip("published-query-and-keys", PUBLISHED_KEYS @ PUBLISHED_QUERY, PAGES_QUERY),
            _slip(
                "no-projection",
                EMBEDDINGS @ EMBEDDINGS[ASKING],
                "Those are dot products of the embeddings. Queries and keys are made from them first, by "
                "W_Q_page and W_K_page.",
            ),
            _slip(
                "queries-matched",
                AUDIT_Q @ AUDIT_Q[ASKING],
                'You matched the query of "I" with the queries. It should meet the keys, '
                "embeddings @ W_K_page.",
            ),
            _slip(
                "key-asked",
                AUDIT_Q @ AUDIT_K[ASKING],
                'You matched the key of "I" with all queries, a column of the score table. The task asks for '
                'a row: the query of "I" with every key.',
            ),
            _slip(
                "keys-matched",
                AUDIT_K @ AUDIT_K[ASKING],
                'You matched the key of "I" with the keys. What asks is its query, embedding @ W_Q_page.',
            ),
            _slip(
                "matched-on-values",
                AUDIT_V @ AUDIT_Q[ASKING],
                "You matched the query with the values. It should meet the keys, embeddings @ W_K_page.",
            ),
            _slip(
                "scaled-already",
                AUDITED[:, 1],
                "You already divided by √d_k. The first column asks for the score as it is.",
            ),
        ),
        (
            _slip(
                "not-scaled",
                AUDITED[:, 0],
                "Those are the scores themselves. The page states √d_k and never divides: divide here.",
            ),
            _slip("divided-by-d_k", AUDITED[:, 0] / 2, "You divided by d_k, 2. Divide by its root."),
            _slip(
                "root-3",
                AUDITED[:, 0] / math.sqrt(3),
                "You divided by √3. There are 3 tokens, and 3 entries in an embedding, but queries and "
                "keys have 2: d_k is 2.",
            ),
            _slip("multiplied", AUDITED[:, 0] * ROOT_2, "You multiplied by √2. Scaling divides."),
            _slip("query-of-love", OF_LOVE[:, 1], LOVES),
        ),
        (
            _slip(
                "not-scaled",
                UNSCALED,
                "That is the softmax of the scores as they are. Softmax takes the scaled ones.",
            ),
            _slip(
                "divided-by-d_k",
                softmax(AUDITED[:, 0] / 2),
                "That is the softmax of the scores divided by 2. It takes those divided by √2.",
            ),
            _slip(
                "no-exponential",
                AUDITED[:, 0] / AUDITED[:, 0].sum(),
                "You divided the scores by their sum. Softmax takes the exponential of each first.",
            ),
            _slip(
                "not-divided",
                np.exp(AUDITED[:, 1]),
                "Those are the exponentials. Weights are shares: divide each by the sum of the three.",
            ),
            _slip(
                "equal", np.full(3, 1 / 3), "Those are equal shares. The scores differ, so the weights do."
            ),
            _slip("percent", 100 * AUDITED[:, 2], "Those are percentages. Weights sum to 1."),
            _slip("query-of-love", OF_LOVE[:, 2], LOVES),
            _slip("published-weights", PUBLISHED_WEIGHTS, PAGE),
        ),
        (
            _slip(
                "not-weighted",
                AUDIT_V[:, 0],
                "Those are the values. Each is multiplied by its weight.",
            ),
            _slip(
                "second-entry",
                AUDITED[:, 2] * AUDIT_V[:, 1],
                "Those are the second entries of the weighted values. The column asks for the first.",
            ),
            _slip(
                "added-up",
                np.full(3, AUDITED[:, 3].sum()),
                "That is the sum of all three, the output. In the table each key has its own part.",
            ),
            _slip(
                "keys-weighted",
                AUDITED[:, 2] * AUDIT_K[:, 0],
                "Those are weighted keys. Keys are matched, values are mixed.",
            ),
            _slip(
                "scores-as-weights",
                AUDITED[:, 1] * AUDIT_V[:, 0],
                "You multiplied the values by the scaled scores. Weights are what softmax makes of these.",
            ),
            _slip(
                "not-scaled",
                UNSCALED * AUDIT_V[:, 0],
                "Those come from the softmax of the scores as they are. Softmax takes the scaled ones.",
            ),
            _slip("query-of-love", OF_LOVE[:, 3], LOVES),
            _slip("published-parts", PUBLISHED_PARTS, PAGE),
            _slip("published-values", AUDITED[:, 2] * PUBLISHED_VALUES, THE_PAGES.format("values", "V")),
            _slip(
                "published-keys-and-values",
                softmax(PUBLISHED_KEYS @ AUDIT_Q[ASKING] / ROOT_2) * PUBLISHED_VALUES,
                THE_PAGES.format("values", "V"),
            ),
        ),
    ),
    next_column=_next_of_audit,
    tolerance=0.0005,
    because="Query [0.47, 0.68], three scores, divided by √2, shared out by softmax, and each value times "
    f"its weight. Added up, the last column gives {AUDITED[:, 3].sum():.4f}, the first entry of the output "
    'for "I".',
    hints=(
        'The query is the embedding of "I" times W_Q_page, [0.47, 0.68]. A score is its dot product with a '
        "key.",
        "Queries and keys have two entries, so d_k is 2: divide by √2, and keep four decimals.",
        "The softmax of the three scaled scores: each exponential, divided by the sum of the three.",
        "The weight, times the first entry of that token's value, embedding @ W_V_page.",
    ),
    reread=AUDIT,
)
