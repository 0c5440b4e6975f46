"""What every picture shares: colours and sizes, sliders, how a figure is shown, what is asked of its numbers.

Colours come from palettes that colour-blind readers can tell apart (cividis; Okabe and Ito 2008); lines
differ in marker and dash too.
"""

import sys
from collections.abc import Callable, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from helpers import garbage
from helpers.masking import Mask
from helpers.validation import Array, as_floats

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")
MARKERS = ("o", "s", "^", "D", "v", "P")
DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (1, 1)))
STYLE: dict[Any, Any] = {
    "figure.dpi": 100,
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.constrained_layout.use": True,
}


def look(i: int) -> dict[str, Any]:
    """The number of a line -> its colour, dash and marker."""
    return {"color": COLOURS[i], "ls": DASHES[i], "marker": MARKERS[i]}


def show(figure: Figure) -> None:
    """A figure -> None: shows it, and frees its memory."""
    draw_the_first_too()
    plt.show()
    plt.close(figure)
    garbage.collect()  # a figure's parts point at each other; left alone, many wait in memory


def draw_the_first_too() -> None:
    """() -> None. Tells Jupyter how figures are drawn, before the first is shown.

    With matplotlib 3.8 Jupyter learns this only after the cell, and shows the first figure as
    `<Figure size 532x380 with 1 Axes>`. To be told twice does no harm.
    """
    inline = sys.modules.get("matplotlib_inline.backend_inline")  # loaded with a figure, in Jupyter only
    if inline is not None:
        inline.configure_inline_support(inline.get_ipython(), plt.get_backend())


def slider(draw: Callable[[Any], None], name: str, options: Sequence[float], start: float) -> None:
    """A function of one setting, its name, what it may be -> None: a slider that draws for each choice."""
    import ipywidgets  # here, so that a lesson without a slider does not load it

    control = ipywidgets.SelectionSlider(
        options=options,
        value=start,
        description=name,
        continuous_update=False,
        style={"description_width": "initial"},
    )
    ipywidgets.interact(lambda **chosen: draw(chosen[name]), **{name: control})


def labelled(name: str, values: ArrayLike, shape: tuple[int, ...]) -> Array:
    """Numbers -> an array. Raises ValueError unless it has this shape, one entry for each label."""
    array = as_floats(name, values)
    if array.shape != shape:
        raise ValueError(f"{name} must have shape {shape}, one entry for each label; got {array.shape}")
    return array


def boolean(name: str, mask: ArrayLike, tokens: Sequence[str]) -> Mask:
    """(n, n_tokens) -> an array. Raises TypeError unless it holds True and False.

    Raises ValueError where the tokens do not fit.
    """
    mask = np.asarray(mask)
    if mask.dtype != np.bool_:
        raise TypeError(f"{name} must hold True and False; got dtype {mask.dtype}")
    labelled(name, mask.astype(float), (len(mask), len(tokens)))
    return mask


def two_decimals(values: Array) -> str:
    """(n,) -> "0.25 0.75": how a sentence names them."""
    return " ".join(f"{v:.2f}" for v in values)
