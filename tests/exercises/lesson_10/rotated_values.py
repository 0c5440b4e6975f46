"""What learners write in rotated-values, and what the check is to say of it."""

from helpers.attention import attention
from helpers.positions import rotate


# right
def my_rotary_attention(queries, keys, values, positions):
    return attention(rotate(queries, positions), rotate(keys, positions), values)[0]


def my_rotary_attention(q, k, v, p):
    first = p.min()
    return attention(rotate(q, p - first), rotate(k, p - first), v)[0]


def my_rotary_attention(q, k, v, p):
    return attention(rotate(q, p + 5), rotate(k, p + 5), v)[0]


# named: output-turned
def my_rotary_attention(queries, keys, values, positions):
    output, _ = attention(rotate(queries, positions), rotate(keys, positions), values)
    return rotate(output, positions)


# named: queries-not-turned
def my_rotary_attention(queries, keys, values, positions):
    return attention(queries, rotate(keys, positions), values)[0]


# named: nothing-turned
def my_rotary_attention(queries, keys, values, positions):
    return attention(queries, keys, values)[0]


# named: pairs-layout
def my_rotary_attention(queries, keys, values, positions):
    queries, keys = (rotate(rows, positions, layout="pairs") for rows in (queries, keys))
    return attention(queries, keys, values)[0]


# named: values-turned + keys-not-turned
def my_rotary_attention(queries, keys, values, positions):
    return attention(rotate(queries, positions), keys, rotate(values, positions))[0]


# unnamed
def my_rotary_attention(queries, keys, values, positions):
    return values * 0
