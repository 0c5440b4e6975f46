"""What runs an attempt and finds its name: the same for every exercise.

sandbox    runs the learner's function: copies, time limit, captured printing, a kernel left as it was
diagnosis  which wrong version of a function gives exactly these outputs?
probes     inputs that tell mistakes apart
tensors    what an exercise in PyTorch hands over and gets back (only this loads torch)
feedback   the answer to an attempt, and how numbers are set side by side
edited     has the learner edited the function that was handed out?
printed    what `solution` prints
"""
