"""The maths of the course, in the order in which it is taught. Importing this loads nothing.

similarity   queries, keys -> scores                lesson 01
scaling      scores, d_k -> scores                  lesson 02
softmax      scores -> weights                      lesson 03

validation   what every helper asks of its input, and the words of its errors
machine      what lesson 00 says of the machine
datasets     one function per file in data/, checksum verified
plots        one function per kind of picture; each prints its finding in words
exercises    the checker, and the catalogue of exercises and mistakes
"""
