"""What learners write in count-parameters, and what the check is to say of it."""

import math

import numpy as np


# right
def my_count(d_model, d_head, n_heads, n_layers):
    total = 0
    for _layer in range(n_layers):
        for _head in range(n_heads):
            total += 3 * d_model * d_head  # queries, keys, values
        total += n_heads * d_head * d_model
    return total


def my_count(d_model, d_head, n_heads, n_layers):
    width = n_heads * d_head
    shapes = [(d_model, width)] * 3 + [(width, d_model)]
    return n_layers * sum(math.prod(shape) for shape in shapes)


def my_count(d, k, h, n):
    return 4 * d * k * h * n


def my_count(d, k, h, n):
    return float(4 * d * k * h * n)


def my_count(*sizes):
    return 4 * math.prod(sizes)


def my_count(*sizes):
    return np.prod(sizes, dtype=np.int64) * 4


def my_count(d, k, h, n):
    return n * (2 * d * h * k + 2 * h * k * d)


def my_count(d, k, h, n):
    return sum(4 * d * k for _ in range(h * n))


def my_count(d, k, h, n):
    return np.array([4 * d * k * h * n])[0]


# named: three-matrices
def my_count(d, k, h, n):
    return 3 * d * k * h * n


# named: one-matrix
def my_count(d, k, h, n):
    return d * k * h * n


# named: two-matrices
def my_count(d, k, h, n):
    return 2 * d * k * h * n


# named: one-layer
def my_count(d, k, h, n):
    return 4 * d * k * h


# named: one-head
def my_count(d, k, h, n):
    return 4 * d * k * n


def my_count(d_model, d_head, n_heads, n_layers):
    return n_layers * (3 * d_model * d_head + d_head * d_model)


# named: heads-twice
def my_count(d, k, h, n):
    return 4 * d * k * h * h * n


# named: d_model-squared
def my_count(d, k, h, n):
    return 4 * d * d * n


# named: d_model-squared-in-each-head
def my_count(d, k, h, n):
    return 4 * d**2 * h * n


# named: d_head-from-d_model
def my_count(d_model, d_head, n_heads, n_layers):
    d_head = d_model // n_heads
    return 4 * d_model * d_head * n_heads * n_layers


def my_count(d_model, d_head, n_heads, n_layers):
    d_head = d_model // n_heads
    return n_layers * 4 * d_model * n_heads * d_head


# named: heads-squared-width
def my_count(d, k, h, n):
    return 4 * (h * k) ** 2 * n


# named: d_head-squared
def my_count(d, k, h, n):
    return 4 * k * k * h * n


# named: no-d_model
def my_count(d, k, h, n):
    return 4 * k * h * n


# named: no-d_head
def my_count(d, k, h, n):
    return 4 * d * h * n


# named: sizes-added
def my_count(d, k, h, n):
    return 4 * (d + k) * h * n


# named: rows-and-columns-added
def my_count(d, k, h, n):
    return 4 * (d + k * h) * n


# named: w_o-square
def my_count(d_model, d_head, n_heads, n_layers):
    w_o = d_model * d_model
    return n_layers * (3 * d_model * n_heads * d_head + w_o)


# named: w_o-once-in-all
def my_count(d_model, d_head, n_heads, n_layers):
    return n_layers * 3 * d_model * n_heads * d_head + n_heads * d_head * d_model


# named: biases
def my_count(d_model, d_head, n_heads, n_layers):
    width = n_heads * d_head
    one = d_model * width + width
    return n_layers * (3 * one + width * d_model + d_model)


def my_count(d, k, h, n):
    return n * (4 * d * k * h + 4 * d)


# named: w_o-in-each-head
def my_count(d_model, d_head, n_heads, n_layers):
    one_head = 3 * d_model * d_head + n_heads * d_head * d_model
    return n_layers * n_heads * one_head


# named: w_o-of-one-head
def my_count(d, k, h, n):
    return n * (3 * h * d * k + d * k)


# named: w_o-alone-for-all-heads
def my_count(d, k, h, n):
    return n * (3 * d * k + h * k * d)


# named: whole-block
def my_count(d, k, h, n):
    return n * (4 * d * k * h + 8 * d * d)


# named: layers-added
def my_count(d, k, h, n):
    return 4 * d * k * h + n


# named: in-billions
def my_count(d, k, h, n):
    return 4 * d * k * h * n / 1e9


# named: bytes
def my_count(d, k, h, n):
    return 16 * d * k * h * n


# named: three-matrices + one-layer
def my_count(d, k, h, n):
    return 3 * d * k * h


# named: three-matrices + d_model-squared
def my_count(d, k, h, n):
    return 3 * d * d * n


# named: d_model-squared + whole-block
def my_count(d, k, h, n):
    return 12 * d * d * n


# named: three-matrices + one-head
def my_count(d, k, h, n):
    return 3 * d * k * n


# unnamed
def my_count(d, k, h, n):
    return 6 * d * k * h * n


def my_count(d, k, h, n):
    return 4 * d * k * h * n + 1000


def my_count(d, k, h, n):
    return "57,982,058,496"


def my_count(d, k, h, n):
    return [4 * d * k * h] * n


# told: 7 times d_model·d_head·n_heads·n_layers
def my_count(d, k, h, n):
    return 7 * d * k * h * n


# told: d_model does not matter to your count
def my_count(d, k, h, n):
    return 57982058496


# told: so it should be whole
def my_count(d, k, h, n):
    return 4.001 * d * k * h * n


# told: yours go from 940 to 1,780
def my_count(d, k, h, n):
    return 4 * d * k * h * n + 100


# unnamed
def my_count(d_model, d_head, n_heads, n_layers):
    return 4 * n_layers * d_model * d_head * max(n_heads, 2)


def my_count(d_model, d_head, n_heads, n_layers):
    return (
        3 * n_layers * d_model * d_head * n_heads + n_layers * d_head * n_heads * d_model
        if n_heads > 1
        else 0
    )
