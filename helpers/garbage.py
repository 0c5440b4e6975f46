"""Memory is given back at once, and quickly, where a figure or a measurement leaves parts in circles."""

import gc

# What libraries leave behind. A search looks at each object that is not frozen: 0.15 s with torch.
MANY_OBJECTS = 50_000


def collect() -> None:
    """() -> None: frees what nobody can reach any more.

    Where very much is left, as after the import of a library, it is frozen: later searches pass it over.
    (A frozen object is freed as any other when nothing holds it; frozen circles wait for `gc.unfreeze()`.)
    """
    gc.collect()
    if len(gc.get_objects()) > MANY_OBJECTS:
        gc.freeze()
