"""What several exercises of lesson 08 use: sections to reread, tensors as the form of a probe."""

from helpers.exercises.engine.probes import Form

SIX_LINES = "08: Six lines, in tensors"
MODULE = "08: A module with weights of its own"
WHOSE_TRUE = "08: Whose True is it?"
WHICH_AXIS = "08: Which axis holds the heads?"
TENSORS = Form(tensors=True)
