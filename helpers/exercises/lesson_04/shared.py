"""What several exercises of lesson 04 use: sections to reread, probes, properties of a mixture."""

import math

SPREAD = "02: How far scores spread"
WEIGHTS = "03: From scores to weights"
LOOKUP = "01: A first lookup"
ROOT_2 = math.sqrt(2)
