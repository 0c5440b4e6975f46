"""What learners write in accuracy, and what the check is to say of it."""

import numpy as np

from helpers.readers.model import symbol_error_rate, word_accuracy


# right
def my_word_accuracy(written, accepted):
    return word_accuracy(written, accepted)


def my_word_accuracy(written, accepted):
    return np.mean([text in texts for text, texts in zip(written, accepted)])


def my_word_accuracy(written, accepted):
    right = 0
    for i in range(len(written)):
        if written[i] in accepted[i]:
            right += 1
    return right / len(written)


def my_word_accuracy(written, accepted):
    right = 0
    for text, texts in zip(written, accepted, strict=True):
        for each in texts:
            if text == each:
                right = right + 1
                break
    return right / len(accepted)


def my_word_accuracy(written, accepted):
    return sum(any(w == t for t in a) for w, a in zip(written, accepted)) / len(written)


def my_word_accuracy(written, accepted):
    return 1 - sum(w not in a for w, a in zip(written, accepted)) / len(written)


def my_word_accuracy(written, accepted):
    return np.array([float(text in set(texts)) for text, texts in zip(written, accepted)]).mean()


def my_word_accuracy(written, accepted):
    return len([w for w, a in zip(written, accepted) if a.count(w) > 0]) / len(written)


def my_word_accuracy(written, accepted):
    return sum(map(lambda w, a: w in a, written, accepted)) / len(list(written))


def my_word_accuracy(written, accepted):
    wrong = list(written)
    for text, texts in zip(written, accepted):
        if text in texts:
            wrong.remove(text)
    return (len(written) - len(wrong)) / len(written)


def my_word_accuracy(written, accepted):
    return np.float32(sum(w in a for w, a in zip(written, accepted)) / len(written))


# right
# told: ✓ accuracy
def my_word_accuracy(written, accepted):
    print("hello")
    return word_accuracy(written, accepted)


# named: first-accepted-only
def my_word_accuracy(written, accepted):
    right = 0
    for text, texts in zip(written, accepted):
        if text == texts[0]:
            right += 1
    return right / len(written)


# named: last-accepted-only
def my_word_accuracy(written, accepted):
    right = 0
    for text, texts in zip(written, accepted):
        for t in texts:
            ok = text == t
        if ok:
            right += 1
    return right / len(written)


# named: list-compared
def my_word_accuracy(written, accepted):
    return np.mean([text == texts for text, texts in zip(written, accepted)])


def my_word_accuracy(written, accepted):
    return sum(w == a for w, a in zip(written, accepted)) / len(accepted)


def my_word_accuracy(written, accepted):
    return sum(text in accepted for text in written) / len(written)


# named: all-accepted
def my_word_accuracy(written, accepted):
    return np.mean([[text] == texts for text, texts in zip(written, accepted)])


def my_word_accuracy(written, accepted):
    return np.mean([all(text == t for t in texts) for text, texts in zip(written, accepted)])


# named: part-is-enough
def my_word_accuracy(written, accepted):
    return np.mean([any(text in t for t in texts) for text, texts in zip(written, accepted)])


def my_word_accuracy(written, accepted):
    count = 0
    for i in range(len(written)):
        if written[i] in str(accepted[i]):
            count += 1
    return count / len(written)


def my_word_accuracy(written, accepted):
    return np.mean([w in a[0] for w, a in zip(written, accepted)])


def my_word_accuracy(written, accepted):
    return np.mean([any(t.startswith(w) for t in a) for w, a in zip(written, accepted)])


# named: divided-by-texts
def my_word_accuracy(written, accepted):
    right = total = 0
    for text, texts in zip(written, accepted):
        for t in texts:
            total += 1
            if text == t:
                right += 1
    return right / total


# named: shared-among-texts
def my_word_accuracy(written, accepted):
    return np.mean([np.mean([w == t for t in a]) for w, a in zip(written, accepted)])


# named: not-divided
def my_word_accuracy(written, accepted):
    return sum(w in a for w, a in zip(written, accepted))


# named: percent
def my_word_accuracy(written, accepted):
    return 100 * sum(w in a for w, a in zip(written, accepted)) / len(written)


# named: wrong-counted
def my_word_accuracy(written, accepted):
    return sum(w not in a for w, a in zip(written, accepted)) / len(written)


# named: all-or-nothing
def my_word_accuracy(written, accepted):
    return sum(w in a for w, a in zip(written, accepted)) // len(written)


def my_word_accuracy(written, accepted):
    return float(all(w in a for w, a in zip(written, accepted)))


# named: rounded
def my_word_accuracy(written, accepted):
    return round(sum(w in a for w, a in zip(written, accepted)) / len(written), 2)


# named: last-word-left-out
def my_word_accuracy(written, accepted):
    right = 0
    for i in range(len(written) - 1):
        if written[i] in accepted[i]:
            right += 1
    return right / len(written)


# named: first-word-left-out
def my_word_accuracy(written, accepted):
    right = 0
    for i in range(1, len(written)):
        if written[i] in accepted[i]:
            right += 1
    return right / len(written)


# named: last-word-only
def my_word_accuracy(written, accepted):
    for text, texts in zip(written, accepted):
        right = 0
        if text in texts:
            right += 1
    return right / len(written)


# named: first-word-only
def my_word_accuracy(written, accepted):
    right = 0
    for text, texts in zip(written, accepted):
        if text in texts:
            right += 1
        return right / len(written)


# named: counted-to-1
def my_word_accuracy(written, accepted):
    right = 0
    for text, texts in zip(written, accepted):
        if text in texts:
            right = 1
    return right / len(written)


# named: from-any-word
def my_word_accuracy(written, accepted):
    all_texts = [t for texts in accepted for t in texts]
    return sum(text in all_texts for text in written) / len(written)


def my_word_accuracy(written, accepted):
    return len(set(written) & set(sum(accepted, []))) / len(written)


# named: capitals-ignored
def my_word_accuracy(written, accepted):
    return np.mean([w.lower() in [t.lower() for t in a] for w, a in zip(written, accepted)])


# named: spaces-ignored
def my_word_accuracy(written, accepted):
    return np.mean([w.strip() in [t.strip() for t in a] for w, a in zip(written, accepted)])


def my_word_accuracy(written, accepted):
    return np.mean([w.split() in [t.split() for t in a] for w, a in zip(written, accepted)])


# named: any-order
def my_word_accuracy(written, accepted):
    def same(one, other):
        return set(one.split()) == set(other.split())

    return np.mean([any(same(w, t) for t in a) for w, a in zip(written, accepted)])


# named: symbols-counted
def my_word_accuracy(written, accepted):
    return 1 - symbol_error_rate(written, accepted, " ")


def my_word_accuracy(written, accepted):
    shares = []
    for text, texts in zip(written, accepted):
        sounds, right = text.split(), texts[0].split()
        shares.append(sum(a == b for a, b in zip(sounds, right)) / len(right))
    return sum(shares) / len(shares)


# named: repeated-words-merged
def my_word_accuracy(written, accepted):
    pairs = dict(zip(written, accepted))
    return sum(text in texts for text, texts in pairs.items()) / len(pairs)


def my_word_accuracy(written, accepted):
    return len({w for w, a in zip(written, accepted) if w in a}) / len(set(written))


def my_word_accuracy(written, accepted):
    return len({w for w, a in zip(written, accepted) if w in a}) / len(written)


def my_word_accuracy(written, accepted):
    return sum(x in accepted[written.index(x)] for x in written) / len(written)


def my_word_accuracy(written, accepted):
    by_text = dict(zip(written, accepted))
    return sum(x in by_text[x] for x in written) / len(written)


# named: stopped-at-first-wrong
def my_word_accuracy(written, accepted):
    right = 0
    for text, texts in zip(written, accepted):
        if text not in texts:
            break
        right += 1
    return right / len(written)


# named: first-accepted-only + percent
def my_word_accuracy(written, accepted):
    return 100 * np.mean([w == a[0] for w, a in zip(written, accepted)])


# named: same-length
def my_word_accuracy(written, accepted):
    return sum(len(w) == len(a[0]) for w, a in zip(written, accepted)) / len(written)


# named: wrong-for-each-text
def my_word_accuracy(written, accepted):
    wrong = 0
    for text, texts in zip(written, accepted):
        for each in texts:
            if text != each:
                wrong += 1
    return 1 - wrong / len(written)


# named: divided-by-the-wrong
def my_word_accuracy(written, accepted):
    right = sum(w in a for w, a in zip(written, accepted))
    return right / (len(written) - right)


# named: divided-in-the-loop
def my_word_accuracy(written, accepted):
    count = 0
    for w, a in zip(written, accepted):
        count += w in a
        count /= len(written)
    return count


# named: one-divided-too-few
def my_word_accuracy(written, accepted):
    return sum(w in a for w, a in zip(written, accepted)) / (len(written) - 1)


# named: one-divided-too-many
def my_word_accuracy(written, accepted):
    return sum(w in a for w, a in zip(written, accepted)) / (len(written) + 1)


# named: first-two-accepted-only
def my_word_accuracy(written, accepted):
    return sum(x in y[:2] for x, y in zip(written, accepted)) / len(written)


def my_word_accuracy(written, accepted):
    right = 0
    for x, y in zip(written, accepted):
        right += x == y[0] or (len(y) > 1 and x == y[1])
    return right / len(written)


# named: first-and-last-accepted-only
def my_word_accuracy(written, accepted):
    return sum(x in (y[0], y[-1]) for x, y in zip(written, accepted)) / len(written)


# named: capitals-and-spaces-ignored
def my_word_accuracy(written, accepted):
    def plain(text):
        return text.lower().split()

    return np.mean([plain(w) in [plain(t) for t in a] for w, a in zip(written, accepted)])


# named: symbols-counted
def my_word_accuracy(written, accepted):
    shares = []
    for w, options in zip(written, accepted, strict=True):
        best = 0
        for o in options:
            a, b = w.split(), o.split()
            best = max(best, sum(x == y for x, y in zip(a, b, strict=False)) / max(len(a), len(b)))
        shares.append(best)
    return sum(shares) / len(shares)


# breaks: all right
# breaks: all wrong
def my_word_accuracy(written, accepted):
    return 0.5


# breaks: half right
def my_word_accuracy(written, accepted):
    return word_accuracy(written, accepted) ** 2


# told: 0 to n − 1
def my_word_accuracy(written, accepted):
    return sum(written[i] in accepted[i] for i in range(9)) / 9


# told: A result is nan
def my_word_accuracy(written, accepted):
    return float("nan")


# told: After the call accepted no longer holds the texts that went in
def my_word_accuracy(written, accepted):
    accepted[0].append("x")
    return word_accuracy(written, accepted)


# told: KeyError: 'mine'
def my_word_accuracy(written, accepted):
    raise KeyError("mine")


# told: The result should be one number, not an array of shape (2,)
def my_word_accuracy(written, accepted):
    return [0.5, 0.5]


# told: make a copy, and change that one
def my_word_accuracy(written, accepted):
    accepted[0].pop(0)
    return 0.5


# told: returned None
def my_word_accuracy(written, accepted):
    written = None


# told: returned True and False, not real numbers
def my_word_accuracy(written, accepted):
    return [w in a for w, a in zip(written, accepted)]


def my_word_accuracy(written, accepted):
    return written == accepted


# told: returned a text, not one number
def my_word_accuracy(written, accepted):
    return "60%"


# told: written no longer holds the texts
def my_word_accuracy(written, accepted):
    written.pop()
    return 0.5


# not attempted
# told: not attempted yet
def my_word_accuracy(written, accepted):
    return None
