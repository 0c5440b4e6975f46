"""noisy-loss, lesson 12: a loss that is measured while dropout is on."""

import copy

import numpy as np
import torch
from torch import Tensor, nn

from helpers.exercises.engine.edits import Edits
from helpers.exercises.engine.probes import EXAMPLE, Form, Probe, numbers
from helpers.exercises.kinds.fix import Mend
from helpers.exercises.lesson_12.shared import WATCH

TENSORS = Form(tensors=True)


class KnownDropout(nn.Dropout):
    """nn.Dropout whose draws are the same on every processor: PyTorch's own are not."""

    def forward(self, x: Tensor) -> Tensor:
        """(..., d) -> the same shape: while training, some numbers are 0 and the others larger."""
        return dropped(x, self.p) if self.training else x


class Chain(nn.Module):
    """Layers one after the other, as in nn.Sequential; that is a sequence, which NumPy takes for an array."""

    def __init__(self, *layers: nn.Module) -> None:
        """Layers -> a model in training mode."""
        super().__init__()
        for place, layer in enumerate(layers):
            self.add_module(str(place), layer)

    def forward(self, x: Tensor) -> Tensor:
        """(n, d_in) -> (n, n_symbols)."""
        for layer in self.children():
            x = layer(x)
        return x


class AsksItself(nn.Module):
    """A model without a layer for its dropout: it looks up its own mode, as lesson 08 does in attention."""

    def __init__(self, w: Tensor, share: float) -> None:
        """(d_in, n_symbols), the share to drop -> a model in training mode."""
        super().__init__()
        self.w, self.share = nn.Parameter(w, requires_grad=False), share

    def forward(self, x: Tensor) -> Tensor:
        """(n, d_in) -> (n, n_symbols)."""
        return dropped(x, self.share if self.training else 0.0) @ self.w


def dropped(x: Tensor, share: float) -> Tensor:
    """Numbers, a share -> as many of them 0, drawn by chance, and the others divided by what is kept."""
    return x * (torch.rand(x.shape) >= share) / (1 - share) if share else x


def linear(d_in: int, d_out: int, start: int) -> nn.Linear:
    """Sizes -> a layer whose numbers are known, drawn from no dice."""
    layer = nn.Linear(d_in, d_out, device="meta")  # no memory, and so no numbers yet
    for place, (name, parameter) in enumerate(list(layer.named_parameters())):
        known = numbers(*parameter.shape, start=start + 500 * place, dtype=np.float32)
        setattr(layer, name, nn.Parameter(torch.from_numpy(known), requires_grad=False))
    return layer


def my_measured_loss(model: nn.Module, inputs: Tensor, targets: Tensor) -> Tensor:
    """A model, (n, d_in), (n,) -> its mean loss, measured without dropout; its mode stays as it was."""
    was = model.training
    model.eval()
    scores = model(inputs)
    model.train(was)
    return torch.nn.functional.cross_entropy(scores, targets)


def by_hand(model: nn.Module, inputs: Tensor, targets: Tensor) -> Tensor:
    """The same as my_measured_loss, on a copy: the mistakes are made here."""
    quiet = copy.deepcopy(model).eval()
    scores = quiet(inputs)
    return torch.nn.functional.cross_entropy(scores, targets)


def runs(model: nn.Module, inputs: Tensor, n: int) -> Tensor:
    """A model, (n, d_in), how often -> the scores of all its runs."""
    return torch.stack([model(inputs) for _ in range(n)])


def losses(model: nn.Module, inputs: Tensor, targets: Tensor, n: int) -> Tensor:
    """A model, inputs, targets, how often -> the loss of each run."""
    each = [torch.nn.functional.cross_entropy(scores, targets) for scores in runs(model, inputs, n)]
    return torch.stack(each)


def after_seed(model: nn.Module, inputs: Tensor, seed: int) -> Tensor:
    """A model, inputs, a seed -> its scores, the dice set first."""
    torch.manual_seed(seed)
    scores: Tensor = model(inputs)
    return scores


def flag_off(model: nn.Module) -> nn.Module:
    """A model -> a copy of which the model itself is in eval mode, and none of its parts."""
    made = copy.deepcopy(model)
    made.training = False
    return made


def outer_off(model: nn.Module) -> nn.Module:
    """A model -> a copy in which the layers next below it are in eval mode, and none below those."""
    made = copy.deepcopy(model)
    for layer in (made, *made.children()):
        layer.training = False
    return made


def layers_off(model: nn.Module) -> nn.Module:
    """A model -> a copy in which each nn.Dropout is in eval mode, and nothing else."""
    made = copy.deepcopy(model)
    for layer in made.modules():
        if isinstance(layer, nn.Dropout):
            layer.eval()
    return made


LINES = Edits(
    my_measured_loss, {"noted": "model.training", "quiet": "model.eval()", "back": "model.train(was)"}
)
EDITS = Edits(
    by_hand,
    {
        "switched": "copy.deepcopy(model).eval()",
        "said": "quiet(inputs)",
        "loss": "torch.nn.functional.cross_entropy(scores, targets)",
    },
)
MISTAKES = EDITS.mistakes(
    """
left-on
    dropout was still on when the scores were made
    model.eval() has to come before them: it switches dropout off, in the model and in all that it is made of.
    `torch.no_grad()` does not: it is about gradients.
    | switched => model

switched-on
    you put the model into training mode
    {eval}
    | switched => copy.deepcopy(model).train()

averaged
    you took the mean of several losses, each with dropout on
    It moves less, but it moves around a number that is too high: the mean loss of spoilt models is not the
    loss of the whole one. {eval}
    @ n = 2 3 5 10 20 30 50 100
    | loss => losses(model, inputs, targets, n).mean()

scores-averaged
    you took the mean of several scores, each with dropout on
    It moves less, but it still moves. {eval}
    @ n = 2 3 5 10 20 30 50 100
    | said => runs(model, inputs, n).mean(dim=0)

seeded
    you set a seed, so that the same numbers are dropped in each call
    Then the loss stands still, but it is that of a spoilt model. {eval}
    @ seed = 0 1 2 5 7 42 123 1234
    | said => after_seed(model, inputs, seed)

flag-only
    you set `training` of the model itself, which does not reach its parts
    {eval}
    | switched => flag_off(model)

outer-layers-only
    you switched the model's own layers, and not those inside them
    {eval}
    | switched => outer_off(model)

dropout-layers-only
    you switched each nn.Dropout, and nothing else
    A model may look up its own mode, as the attention of lesson 08 does. {eval}
    | switched => layers_off(model)

softmax-twice
    you took softmax of the scores before cross_entropy, which takes it itself
    Hand over the scores as the model gives them.
    | said => torch.softmax(quiet(inputs), dim=-1)

logarithms-not-taken
    you handed scores to nll_loss, which takes logarithms of probabilities
    cross_entropy takes the scores as they are: it is log_softmax, and then nll_loss.
    | loss => torch.nn.functional.nll_loss(scores, targets)

probabilities-for-logarithms
    you handed probabilities to nll_loss, which takes their logarithms
    cross_entropy takes the scores as they are: it is log_softmax, and then nll_loss.
    | loss => torch.nn.functional.nll_loss(torch.softmax(scores, dim=-1), targets)

added-up
    you added the losses up
    The mean is asked for.
    | loss => torch.nn.functional.cross_entropy(scores, targets, reduction="sum")

loss-for-each
    you give a loss for each input
    One number is asked for: the mean.
    | loss => torch.nn.functional.cross_entropy(scores, targets, reduction="none")
""",
    reread=WATCH,
    words={"eval": "model.eval() switches dropout off, in the model and in all that it is made of."},
)


def probe(kind: str, model: nn.Module, n: int, d_in: int, start: int, hard: bool = False) -> Probe:
    """A model, how many inputs of which width -> a probe; the targets are symbols 0, 1 and 2."""
    inputs = {
        "model": model,
        "inputs": numbers(n, d_in, start=start, dtype=np.float32),
        "targets": (start + np.arange(n)) % 3,
    }
    return Probe(kind, inputs, hard, TENSORS)


def in_two(d_in: int, start: int, share: float) -> nn.Module:
    """Sizes, a share to drop -> a linear layer, dropout and another linear layer."""
    return Chain(linear(d_in, 6, start), KnownDropout(share), linear(6, 3, start + 50))


OF_TASK = {
    "model": KnownDropout(0.5),
    "inputs": np.array([[2.0, 0.0]], dtype=np.float32),
    "targets": np.array([0]),
}
ITSELF = AsksItself(torch.from_numpy(numbers(4, 3, start=70, dtype=np.float32)), 0.5)
EXERCISE = Mend(
    name="noisy-loss",
    answer=my_measured_loss,
    bug=LINES.bug("noted =>; quiet =>; back =>"),
    task="A loss that can change from call to call, and is too high on average.",
    given="left-on",
    symptom="call it a few times in the example. Sometimes the 2 is dropped, sometimes it becomes 4. Who "
    "tells the model that you only want to measure?",
    call="my_measured_loss(model, inputs, targets)",
    right=my_measured_loss,
    recipe=EDITS.recipe(),
    example=OF_TASK,
    probes=(
        probe("a model with dropout", in_two(4, 11, 0.5), 5, 4, 21),
        Probe(EXAMPLE, OF_TASK, form=TENSORS),
        probe("a tenth dropped", in_two(5, 31, 0.1), 7, 5, 41),
        probe(
            "dropout inside a part of the model",
            Chain(KnownDropout(0.25), in_two(3, 51, 0.5)),
            4,
            3,
            61,
        ),
        probe("a model that looks up its own mode", ITSELF, 6, 4, 81),
        probe("a model in eval mode already", in_two(7, 91, 0.5).eval(), 3, 7, 101),
        probe("a model without dropout", Chain(linear(6, 3, 111)), 8, 6, 121),
        probe("one input", in_two(4, 131, 0.3), 1, 4, 141, hard=True),
        probe("inputs of one number", in_two(1, 151, 0.4), 2, 1, 161, hard=True),
    ),
    mistakes=MISTAKES,
    hints=(
        "What does dropout do to a model while it trains, and which line switches it off? (Lesson 08.)",
        "model.eval() before the scores. But training goes on afterwards: in which mode was the model?",
        "was = model.training, then model.eval(), the scores, and model.train(was).",
    ),
    explain="If you measure in the middle of training, put the model back into its mode: otherwise the rest "
    "of the training has no dropout, and no error says so.",
    reread=WATCH,
)
