"""What learners write in kernel-bug, and what the check is to say of it."""

import numpy as np

from helpers.programs import load, store


# right
def my_kernel(memory, n_rows, n_columns, block):
    output = np.zeros(len(memory))
    for program in range(n_rows):
        columns = np.arange(block)
        inside = columns < n_columns
        addresses = program * n_columns + columns
        scores = load(memory, addresses, inside, other=float("-inf"))
        exponentials = np.exp(scores - scores.max())
        store(output, addresses, exponentials / exponentials.sum(), inside)
    return output


def my_kernel(memory, n_rows, n_columns, block):
    output = np.zeros(len(memory))
    for program in range(n_rows):
        columns = np.arange(block)
        inside = columns < n_columns
        addresses = program * n_columns + columns
        scores = load(memory, addresses, inside, other=0.0)
        scores = np.where(inside, scores, -np.inf)  # the same, one line later
        exponentials = np.exp(scores - scores.max())
        store(output, addresses, exponentials / exponentials.sum(), inside)
    return output


def my_kernel(memory, n_rows, n_columns, block):
    output = np.zeros(len(memory))
    for program in range(n_rows):
        columns = np.arange(n_columns)  # no block at all
        addresses = program * n_columns + columns
        exponentials = np.exp(memory[addresses] - memory[addresses].max())
        output[addresses] = exponentials / exponentials.sum()
    return output


def my_kernel(memory, n_rows, n_columns, block):
    output = np.zeros(len(memory))
    for program in range(n_rows):
        columns = np.arange(block)
        inside = columns < n_columns
        addresses = program * n_columns + columns
        scores = load(memory, addresses, inside, other=-1e9)
        exponentials = np.exp(scores - scores.max())
        store(output, addresses, exponentials / exponentials.sum(), inside)
    return output


# named: largest-of-the-padding
def my_kernel(memory, n_rows, n_columns, block):
    output = np.zeros(len(memory))
    for program in range(n_rows):
        columns = np.arange(block)
        inside = columns < n_columns
        addresses = program * n_columns + columns
        scores = load(memory, addresses, inside, other=0.0)
        exponentials = np.exp(scores - scores.max()) * inside
        store(output, addresses, exponentials / exponentials.sum(), inside)
    return output


# named: padded-with-a-small-number
def my_kernel(memory, n_rows, n_columns, block):
    output = np.zeros(len(memory))
    for program in range(n_rows):
        columns = np.arange(block)
        inside = columns < n_columns
        addresses = program * n_columns + columns
        scores = load(memory, addresses, inside, other=-10)
        exponentials = np.exp(scores - scores.max())
        store(output, addresses, exponentials / exponentials.sum(), inside)
    return output


# named: nan-in-the-block
def my_kernel(memory, n_rows, n_columns, block):
    output = np.zeros(len(memory))
    for program in range(n_rows):
        columns = np.arange(block)
        inside = columns < n_columns
        addresses = program * n_columns + columns
        scores = load(memory, addresses, inside, other=np.inf)
        exponentials = np.exp(scores - scores.max())
        store(output, addresses, exponentials / exponentials.sum(), inside)
    return output


# named: padded-with-a-small-number
def my_kernel(memory, n_rows, n_columns, block):
    output = np.zeros(len(memory))
    for program in range(n_rows):
        columns = np.arange(block)
        inside = columns < n_columns
        addresses = program * n_columns + columns
        scores = load(memory, addresses, inside, other=-1000.0)
        exponentials = np.exp(scores - scores.max())
        store(output, addresses, exponentials / exponentials.sum(), inside)
    return output


# named: block-for-a-row
# told: address 12 is outside the memory
def my_kernel(memory, n_rows, n_columns, block):
    output = np.zeros(len(memory))
    for program in range(n_rows):
        columns = np.arange(block)
        inside = columns < n_columns
        addresses = program * block + columns
        scores = load(memory, addresses, inside, other=-np.inf)
        exponentials = np.exp(scores - scores.max())
        store(output, addresses, exponentials / exponentials.sum(), inside)
    return output


# unnamed
def my_kernel(memory, n_rows, n_columns, block):
    return np.exp(memory) / np.exp(memory).sum()


# named: never-shifted
def my_kernel(memory, n_rows, n_columns, block):
    output = np.zeros(len(memory))
    for program in range(n_rows):
        columns = np.arange(block)
        inside = columns < n_columns
        addresses = program * n_columns + columns
        scores = load(memory, addresses, inside, other=-np.inf)
        exponentials = np.exp(scores)
        store(output, addresses, exponentials / exponentials.sum(), inside)
    return output


# named: one-column-more
# told: where it reads or where it writes
def my_kernel(memory, n_rows, n_columns, block):
    output = np.zeros(len(memory))
    for program in range(n_rows):
        columns = np.arange(block)
        inside = columns < n_columns
        addresses = program * n_columns + columns
        scores = load(memory, addresses, inside, other=-np.inf)
        exponentials = np.exp(scores - scores.max())
        store(output, addresses, exponentials / exponentials.sum(), columns >= 0)
    return output


# named: memory-for-a-row
def my_kernel(memory, n_rows, n_columns, block):
    output = np.zeros(len(memory))
    for program in range(n_rows):
        columns = np.arange(block)
        addresses = program * n_columns + columns
        inside = addresses < len(memory)
        scores = load(memory, addresses, inside, other=-np.inf)
        exponentials = np.exp(scores - scores.max())
        store(output, addresses, exponentials / exponentials.sum(), inside)
    return output


# named: padded-with-0 + divided-by-a-count
def my_kernel(memory, n_rows, n_columns, block):
    output = np.zeros(len(memory))
    for program in range(n_rows):
        columns = np.arange(block)
        inside = columns < n_columns
        addresses = program * n_columns + columns
        scores = load(memory, addresses, inside, other=0.0)
        exponentials = np.exp(scores - scores.max())
        store(output, addresses, exponentials / n_columns, inside)
    return output


# named: divided-by-a-count
def my_kernel(memory, n_rows, n_columns, block):
    output = np.zeros(len(memory))
    for program in range(n_rows):
        columns = np.arange(block)
        inside = columns < n_columns
        addresses = program * n_columns + columns
        scores = load(memory, addresses, inside, other=-np.inf)
        exponentials = np.exp(scores - scores.max())
        store(output, addresses, exponentials / inside.sum(), inside)
    return output


# named: block-cut-short
def my_kernel(memory, n_rows, n_columns, block):
    output = np.zeros(len(memory))
    for program in range(n_rows):
        columns = np.arange(block)
        inside = columns < n_columns
        addresses = program * n_columns + columns
        scores = load(memory, addresses, inside, other=0.0)
        exponentials = np.exp(scores - scores.max())
        exponentials = exponentials[inside]
        store(output, addresses, exponentials / exponentials.sum(), inside)
    return output
