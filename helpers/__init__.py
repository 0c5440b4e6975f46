"""The maths of the course, in the order in which it is taught. Importing this loads nothing.

similarity       queries, keys -> scores                        lesson 01
scaling          scores, d_k -> scores                          lesson 02
softmax          scores -> weights                              lesson 03
attention        score, scale, mask, softmax, mix               lesson 04
masking          which query may attend to which key            lesson 05
heads            project, split, attend, merge                  lessons 06 and 07
multi_head       a sequence that reads itself, in heads         lesson 06
cross_attention  queries from here, keys and values from there  lesson 07
positions        where each token stands, six ways              lesson 10
gradients        the way back: what the loss asks of each step  lesson 11
streaming        the same without the n × n matrix, and a cache lessons 13, 14
shares           who holds which tokens, and what that costs    lesson 16
many_cards       what one text on many cards costs: bytes, seconds, memory; lesson 16
pytorch          the same in tensors, on a GPU where one is     lesson 08

columns          the same maths with a token as a column        lessons 03 to 06
leaks            does a model look where it must not?           lesson 05, and every model of yours
probing          change an input, see which outputs move: what the checks of leaks share

readers          trained models that read and write, and what is measured on them    lessons 07, 08, 10, 12

pretrained       real models on all of this: SmolLM2 writes, MiniLM reads                lesson 15

door             input is checked once, where it comes in; behind it stands the maths alone
inputs           what each function of the maths asks of its input
inputs_of_positions  the same for helpers.positions
inputs_of_streaming  the same for helpers.streaming
validation       what every helper asks of its input, and the words of its errors
precision        what float16 and the ends of a dtype's range ask of the maths
machine          what lesson 00 says of the machine
own_folder       where a person's own data of the course lies
datasets         one function per file in data/, checksum verified
plots            one function per kind of picture; each prints its finding in words
garbage          gives back what a figure leaves, without a search of all that libraries left
one_thread       a process in which no library works on more than one thread
programs         what a call holds, how a helper is written, a Python of its own   lesson 13
exercises        the checker, and the catalogue of exercises and mistakes
museum           real bugs: a few lines that do the same, and the test that finds each
benchmark        python -m helpers.benchmark: time and memory of attention, as a record and as figures
"""
