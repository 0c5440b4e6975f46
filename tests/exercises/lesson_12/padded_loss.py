"""What learners write in padded-loss, and what the check is to say of it."""

import numpy as np


# right
def my_mean_loss(losses, real):
    return losses[real].mean() if real.any() else 0.0


def my_mean_loss(losses, real):
    total = np.where(real, losses, 0).sum()
    return total / np.maximum(real.sum(), 1)


def my_mean_loss(losses, real):
    kept = [loss for row, keep in zip(losses, real) for loss, is_real in zip(row, keep) if is_real]
    return sum(kept) / len(kept) if kept else 0


# named: padding-counted
# not told: Start from
def my_mean_loss(losses, real):
    return np.where(real, losses, 0).mean()


# named: product-with-the-mask
def my_mean_loss(losses, real):
    return (losses * real).sum() / max(real.sum(), 1)


# named: mean-of-means
def my_mean_loss(losses, real):
    each = [row[keep].mean() if keep.any() else 0.0 for row, keep in zip(losses, real)]
    return np.mean(each)


# named: nothing-real
def my_mean_loss(losses, real):
    with np.errstate(invalid="ignore"):
        return np.where(real, losses, 0).sum() / real.sum()


# named: padding-instead
def my_mean_loss(losses, real):
    return losses[~real].mean() if (~real).any() else 0.0


# unnamed
def my_mean_loss(losses, real):
    return np.float64(-3.0)


# named: zeros-not-counted
def my_mean_loss(losses, real):
    kept = np.where(real, losses, 0)
    n = np.count_nonzero(kept)
    return kept.sum() / n if n else 0


# named: one-more-counted
def my_mean_loss(losses, real):
    return np.where(real, losses, 0).sum() / (real.sum() + 1e-3)


# named: longest-text-counted
def my_mean_loss(losses, real):
    total = np.where(real, losses, 0).sum()
    return total / (len(losses) * real.sum(axis=1).max()) if real.any() else 0


# named: mean-of-means
def my_mean_loss(losses, real):
    means = [row[ok].mean() for row, ok in zip(losses, real) if ok.any()]
    return np.mean(means)


# named: padding-added
def my_mean_loss(losses, real):
    return losses.sum() / real.sum() if real.any() else 0


# named: padding-instead
def my_mean_loss(losses, real):
    total = np.where(real, 0, losses).sum()
    return total / real.sum()


# named: longest-text-alone
def my_mean_loss(losses, real):
    total = np.where(real, losses, 0).sum()
    return total / real.sum(axis=-1).max()


# named: mean-of-means
def my_mean_loss(losses, real):
    means = []
    for row, flags in zip(losses, real):
        if flags.any():
            means.append(row[flags].mean())
    return sum(means) / len(means) if means else 0.0


# named: first-places
def my_mean_loss(losses, real):
    found = [loss for row, ok in zip(losses, real) for loss in row[: ok.sum()]]
    return sum(found) / len(found) if found else 0.0


# named: mean-of-means
def my_mean_loss(losses, real):
    lengths = real.sum(axis=1)
    return np.mean([losses[i, :length].mean() for i, length in enumerate(lengths) if length])
