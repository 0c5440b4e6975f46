"""What learners write in reach, and what the check is to say of it."""

from typing import Any

import numpy as np

from helpers.exercises.lesson_05.reach import EXERCISE as REACH


def mask_of(*rows: tuple[int, ...]) -> Any:
    """The keys of each query -> the mask."""
    mask = np.zeros((5, 5), dtype=int)
    for row, keys in zip(mask, rows, strict=True):
        row[list(keys)] = 1
    return mask


# right
# told: by way of the tokens 1 and 3
my_mask = mask_of((0,), (0, 1), (0, 2), (0, 3), (1, 3))

# right
# told: by way of token 1
my_mask = mask_of((0,), (0,), (1,), (2,), (1,))

# named: causal
# told: query 2 (row 2) may attend to 3 keys
my_mask = np.tri(5)

# named: window
# told: Query 4 (row 4) reads the tokens 3 and 4
# told: these read the tokens 2, 3 and 4
my_mask = np.tri(5) - np.tri(5, k=-2)

# named: diagonal
# told: it reads token 4
my_mask = np.eye(5)

# named: empty-row
# told: query 0 (row 0) may attend to nothing
my_mask = np.eye(5, k=-1)

# named: future-visible
# told: query 1 (row 1) may attend to key 2
my_mask = mask_of((0,), (2,), (0,), (3,), (2,))

# named: one-layer-reaches
# told: query 4 (row 4)
my_mask = mask_of((0,), (0, 1), (0, 2), (0, 3), (0, 4))

# named: two-layers-too-short
# told: reads the tokens 2 and 4
my_mask = mask_of((0,), (0,), (1,), (2,), (2, 4))

# named: transposed
# told: Rows are queries
my_mask = np.array(REACH.example).T

# named: inverted
# told: 0 and 1 swapped
my_mask = 1 - np.array(REACH.example)

# named: not-0-and-1
# told: row 0, column 1 holds -1e+09
my_mask = np.where(REACH.example, 0.0, -1e9)

# named: too-many-keys
# told: query 2 (row 2) may attend to 3
my_mask = mask_of((0,), (1,), (0, 1, 2), (3,), (2,))
