"""What learners write in write-loop, and what the check is to say of it."""

import numpy as np


# right
def my_writer(model, tokens, n_new):
    for _ in range(n_new):
        tokens = [*tokens, int(np.argmax(model(tokens)[-1]))]
    return tokens


# right
def my_writer(model, tokens, n_new):
    text = np.array(tokens)
    while len(text) < len(tokens) + n_new:
        scores = model(text)[len(text) - 1]
        text = np.append(text, np.where(scores == scores.max())[0][0])
    return text


# named: prompt-only
def my_writer(model, tokens, n_new):
    written = []
    for _ in range(n_new):
        written.append(model(tokens)[-1].argmax())
    return list(tokens) + written


# named: first-row
def my_writer(model, tokens, n_new):
    text = list(tokens)
    for _ in range(n_new):
        text.append(np.argmax(model(text)[0]))
    return text


# named: whole-array
def my_writer(model, tokens, n_new):
    text = list(tokens)
    for _ in range(n_new):
        text.append(int(np.argmax(model(text))))
    return text


# named: any-row
def my_writer(model, tokens, n_new):
    text = list(tokens)
    for _ in range(n_new):
        scores = model(text)
        row, column = np.unravel_index(scores.argmax(), scores.shape)
        text.append(column)
    return text


# named: prompt-only
def my_writer(model, tokens, n_new):
    text, n = list(tokens), len(tokens)
    for _ in range(n_new):
        text.append(int(model(text)[n - 1].argmax()))
    return text


# named: rows-added
def my_writer(model, tokens, n_new):
    text = list(tokens)
    for _ in range(n_new):
        text.append(int(np.mean(model(text), axis=0).argmax()))
    return text


# named: only-the-new
def my_writer(model, tokens, n_new):
    text, new = list(tokens), []
    for _ in range(n_new):
        token = int(model(text + new)[-1].argmax())
        new.append(token)
    return new


# named: up-to-n_new
def my_writer(model, tokens, n_new):
    text = list(tokens)
    while len(text) < n_new:
        text.append(int(model(text)[-1].argmax()))
    return text


# named: smallest
def my_writer(model, tokens, n_new):
    text = list(tokens)
    for _ in range(n_new):
        text.append(int(np.argmin(model(text)[-1])))
    return text


# named: second-best
def my_writer(model, tokens, n_new):
    text = list(tokens)
    for _ in range(n_new):
        order = np.argsort(model(text)[-1])
        text.append(int(order[-2]))
    return text


# named: one-too-many
def my_writer(model, tokens, n_new):
    text = list(tokens)
    while len(text) <= len(tokens) + n_new:
        text.append(int(model(text)[-1].argmax()))
    return text


# named: backwards
def my_writer(model, tokens, n_new):
    text = list(tokens)
    for _ in range(n_new):
        text.append(int(model(list(reversed(text)))[-1].argmax()))
    return text


# named: only-the-last
def my_writer(model, tokens, n_new):
    text = list(tokens)
    for _ in range(n_new):
        token = int(model(text)[-1].argmax())
        text.append(token)
    return [token]


# named: one-back
def my_writer(model, tokens, n_new):
    text = list(tokens)
    for _ in range(n_new):
        scores = model(text)
        text.append(int(scores[-2 if len(text) > 1 else -1].argmax()))
    return text


# named: last-few-alone
def my_writer(model, tokens, n_new):
    text = list(tokens)
    for _ in range(n_new):
        context = text[-2:]
        text.append(int(model(context)[-1].argmax()))
    return text


# unnamed
# told: a token is one whole number; token 2 of the text is array([1, 3])
def my_writer(model, tokens, n_new):
    text = list(tokens)
    for _ in range(n_new):
        text.append(np.argmax(model(text), axis=-1))
    return text
