"""What learners write in noisy-loss, and what the check is to say of it."""

import copy

import torch
from torch.nn import functional as F


# right
def my_measured_loss(model, inputs, targets):
    was = model.training
    model.eval()
    scores = model(inputs)
    model.train(was)
    return F.cross_entropy(scores, targets)


def my_measured_loss(model, inputs, targets):
    quiet = copy.deepcopy(model).eval()
    return F.cross_entropy(quiet(inputs), targets)


def my_measured_loss(model, inputs, targets):
    was = model.training
    model.eval()
    with torch.no_grad():
        loss = F.cross_entropy(model(inputs), targets).item()
    if was:
        model.train()
    return loss


def my_measured_loss(model, inputs, targets):
    modes = [(part, part.training) for part in model.modules()]
    model.train(False)
    shares = model(inputs).softmax(dim=-1)
    for part, mode in modes:
        part.training = mode
    return -shares[torch.arange(len(targets)), targets].log().mean()


# named: left-on
# told: torch.no_grad()
def my_measured_loss(model, inputs, targets):
    with torch.no_grad():
        scores = model(inputs)
    return torch.nn.functional.cross_entropy(scores, targets)


# named: left-on
# told: has to come before them
def my_measured_loss(model, inputs, targets):
    was = model.training
    scores = model(inputs)
    model.eval()
    loss = torch.nn.functional.cross_entropy(scores, targets)
    model.train(was)
    return loss


# breaks: input left unchanged
# told: After the call model.training is False, and it was True.
def my_measured_loss(model, inputs, targets):
    model.eval()
    scores = model(inputs)
    return torch.nn.functional.cross_entropy(scores, targets)


# breaks: input left unchanged
# told: After the call model.training is True, and it was False.
def my_measured_loss(model, inputs, targets):
    model.eval()
    scores = model(inputs)
    model.train()
    return torch.nn.functional.cross_entropy(scores, targets)


# named: switched-on
def my_measured_loss(model, inputs, targets):
    was = model.training
    model.train()
    scores = model(inputs)
    model.train(was)
    return torch.nn.functional.cross_entropy(scores, targets)


# named: averaged
def my_measured_loss(model, inputs, targets):
    return torch.stack([F.cross_entropy(model(inputs), targets) for _ in range(20)]).mean()


def my_measured_loss(model, inputs, targets):
    total = 0
    for _ in range(100):
        total += F.cross_entropy(model(inputs), targets)
    return total / 100


# named: scores-averaged
def my_measured_loss(model, inputs, targets):
    scores = sum(model(inputs) for _ in range(10)) / 10
    return F.cross_entropy(scores, targets)


# named: seeded
def my_measured_loss(model, inputs, targets):
    torch.manual_seed(0)
    return F.cross_entropy(model(inputs), targets)


def my_measured_loss(model, inputs, targets):
    torch.manual_seed(42)
    scores = model(inputs)
    return torch.nn.functional.cross_entropy(scores, targets)


# named: flag-only
def my_measured_loss(model, inputs, targets):
    was = model.training
    model.training = False
    scores = model(inputs)
    model.training = was
    return torch.nn.functional.cross_entropy(scores, targets)


# named: outer-layers-only
def my_measured_loss(model, inputs, targets):
    was = model.training
    model.training = False
    for layer in model.children():
        layer.training = False
    scores = model(inputs)
    model.train(was)
    return torch.nn.functional.cross_entropy(scores, targets)


# named: dropout-layers-only
def my_measured_loss(model, inputs, targets):
    drops = [part for part in model.modules() if isinstance(part, torch.nn.Dropout)]
    modes = [part.training for part in drops]
    for part in drops:
        part.eval()
    scores = model(inputs)
    for part, mode in zip(drops, modes):
        part.train(mode)
    return torch.nn.functional.cross_entropy(scores, targets)


# named: added-up
def my_measured_loss(model, inputs, targets):
    was = model.training
    scores = model.eval()(inputs)
    model.train(was)
    return F.cross_entropy(scores, targets, reduction="sum")


# named: loss-for-each
def my_measured_loss(model, inputs, targets):
    was = model.training
    scores = model.eval()(inputs)
    model.train(was)
    return F.cross_entropy(scores, targets, reduction="none")


# named: left-on + added-up
def my_measured_loss(model, inputs, targets):
    return F.cross_entropy(model(inputs), targets, reduction="sum")


# named: softmax-twice
def my_measured_loss(model, inputs, targets):
    was = model.training
    model.eval()
    chances = model(inputs).softmax(dim=-1)
    model.train(was)
    return F.cross_entropy(chances, targets)


# named: left-on
# told: "Watch it learn".) Besides, after the call model.training is True, and it was False.
# breaks: input left unchanged
def my_measured_loss(model, inputs, targets):
    scores = model(inputs)
    model.eval()
    loss = torch.nn.functional.cross_entropy(scores, targets)
    model.train()
    return loss


# named: left-on
# told: `model.eval` alone does nothing: brackets make it a call
def my_measured_loss(model, inputs, targets):
    model.eval  # noqa: B018
    loss = F.cross_entropy(model(inputs), targets)
    model.train  # noqa: B018
    return loss


# breaks: input left unchanged
# told: put it back before you return. `model.train(was)` stands after a `return`, and is never reached.
def my_measured_loss(model, inputs, targets):
    was = model.training
    model.eval()
    scores = model(inputs)
    return torch.nn.functional.cross_entropy(scores, targets)
    model.train(was)


# breaks: error
# breaks: input left unchanged
# told: not implemented for 'Long'
# told: cross_entropy takes the scores first, then the targets.
# not told: not attempted
# not told: After the call
def my_measured_loss(model, inputs, targets):
    was = model.training
    model.eval()
    loss = F.cross_entropy(targets, model(inputs))
    model.train(was)
    return loss


# breaks: error
# told: model.eval() takes no inputs
def my_measured_loss(model, inputs, targets):
    return F.cross_entropy(model.eval(inputs), targets)


# named: logarithms-not-taken
def my_measured_loss(model, inputs, targets):
    was = model.training
    model.eval()
    loss = F.nll_loss(model(inputs), targets)
    model.train(was)
    return loss


# named: probabilities-for-logarithms
def my_measured_loss(model, inputs, targets):
    was = model.training
    shares = torch.softmax(model.eval()(inputs), dim=-1)
    model.train(was)
    return F.nll_loss(shares, targets)


# unnamed
# told: After the call
# not told: You switched each nn.Dropout
def my_measured_loss(model, inputs, targets):
    for part in model.children():
        part.eval()
    loss = F.cross_entropy(model(inputs), targets)
    model.train()
    return loss
