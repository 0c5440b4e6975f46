"""Trained models that read one text and write another, or an image by a word. Importing this loads nothing.

model       the encoder and decoder, in NumPy, on the attention of the lessons      lessons 07, 08, 12
cached      the same with a cache, or with keys that heads share                    lesson 12
alignments  its maps of weights, measured, and symbols hidden from it               lesson 07
dates       year, month and day in a written date, and who reads them               lesson 07
digits      grids of small digits, cut into patches, and a head that finds one      lesson 07
"""
