"""What learners write in split-bug, and what the check is to say of it."""

import numpy as np

from helpers.attention import attention
from helpers.streaming import merge_partials


def parts_of(query, keys, values, n_parts):
    outputs, logs = [], []
    for part in np.array_split(np.arange(len(keys)), n_parts):
        scores = keys[part] @ query / np.sqrt(len(query))
        log_sum_exp = scores.max() + np.log(np.exp(scores - scores.max()).sum())
        outputs.append(np.exp(scores - log_sum_exp) @ values[part])
        logs.append(log_sum_exp)
    return np.array(outputs), np.array(logs)


# right
def my_split_attention(query, keys, values, n_parts):
    outputs, logs = parts_of(query, keys, values, n_parts)
    output, total = outputs[0], logs[0]
    for other, log in zip(outputs[1:], logs[1:]):
        both = np.logaddexp(total, log)
        output = np.exp(total - both) * output + np.exp(log - both) * other
        total = both
    return output


def my_split_attention(query, keys, values, n_parts):
    outputs, logs = parts_of(query, keys, values, n_parts)
    shares = np.exp(logs - logs.max())  # all at once
    return shares @ outputs / shares.sum()


def my_split_attention(query, keys, values, n_parts):
    outputs, logs = parts_of(query, keys, values, n_parts)
    output, log = outputs[:1], logs[:1]
    for k in range(1, n_parts):
        output, log = merge_partials(output, log, outputs[[k]], logs[[k]])
    return output[0]


def my_split_attention(query, keys, values, n_parts):
    return attention(query[None], keys, values)[0][0]


# named: last-logarithm-kept
def my_split_attention(query, keys, values, n_parts):
    outputs, logs = parts_of(query, keys, values, n_parts)
    output, total = outputs[0], logs[0]
    for other, log in zip(outputs[1:], logs[1:]):
        both = np.logaddexp(total, log)
        output, total = np.exp(total - both) * output + np.exp(log - both) * other, log
    return output


# named: mean-of-the-parts
def my_split_attention(query, keys, values, n_parts):
    outputs, _ = parts_of(query, keys, values, n_parts)
    return outputs.mean(axis=0)


# named: logarithms-added
def my_split_attention(query, keys, values, n_parts):
    outputs, logs = parts_of(query, keys, values, n_parts)
    output, total = outputs[0], logs[0]
    for other, log in zip(outputs[1:], logs[1:]):
        both = np.logaddexp(total, log)
        output = np.exp(total - both) * output + np.exp(log - both) * other
        total = total + log
    return output


# named: larger-kept
def my_split_attention(query, keys, values, n_parts):
    outputs, logs = parts_of(query, keys, values, n_parts)
    output, total = outputs[0], logs[0]
    for other, log in zip(outputs[1:], logs[1:]):
        both = np.logaddexp(total, log)
        output = np.exp(total - both) * output + np.exp(log - both) * other
        total = max(total, log)
    return output


# named: last-part-only
def my_split_attention(query, keys, values, n_parts):
    return parts_of(query, keys, values, n_parts)[0][-1]


# unnamed
def my_split_attention(query, keys, values, n_parts):
    return values.mean(axis=0)
