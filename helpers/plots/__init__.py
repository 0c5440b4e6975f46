"""One function per kind of picture. Each draws, prints its finding in words, and returns None.

The finding is computed from the numbers that were drawn. Queries are always rows. This room and
helpers.benchmark.plots are all of the course that loads matplotlib.

weights      scores and weights as tables and bars; sliders over d_k and the temperature   lessons 00 to 05
curves       lines, fitted slopes, histograms, clouds of points, changes with errors       lessons 01 to 16
arrows       vectors, their angles, and where a word moves                                 lessons 01, 04, 06
masks        who may attend to whom, and what moves with what                              lessons 05, 06, 08
heads        columns, maps and shared keys of several heads; heads of several models       lessons 06, 14, 15
readings     what a trained model reads while it writes                                    lesson 07
tiles        one pass over the keys, and the tiles that it skips                           lessons 13, 14
positions    scores by distance, a pair that turns, losses by place                        lesson 10
rings        a text on many cards: sheets that travel, and who waits                       lesson 16
diagrams     a machine in boxes and arrows, with its shapes                                lessons 03 to 14
blame        what comes back to each score, below the weights                              lesson 11
learning     curves over steps, maps of trained heads, circuits, experiments               lesson 12
transformer  where attention stands                                                        lesson 00

tables       a small map as a table, in HTML and in letters
canvas       colours, sizes, sliders; what a picture asks of its numbers
pieces       a coloured table, bars, a map beside one of its rows
"""

from helpers.plots.arrows import plot_arrows, plot_moves
from helpers.plots.blame import plot_blame
from helpers.plots.curves import (
    plot_changes,
    plot_cloud,
    plot_held,
    plot_lines,
    plot_panels,
    plot_power,
    plot_predicted,
    plot_spreads,
)
from helpers.plots.diagrams import (
    plot_attention_machine,
    plot_encoder_decoder,
    plot_gpu,
    plot_induction,
    plot_language_block,
    plot_multi_head_block,
    plot_prefill_decode,
    plot_race,
    plot_three_places,
    plot_tiled_attention,
    plot_way_back,
)
from helpers.plots.heads import (
    draw_head,
    explore_heads,
    plot_grids,
    plot_heads,
    plot_sharing,
    plot_versions,
)
from helpers.plots.learning import (
    cases_of,
    experiments_of,
    plot_cases,
    plot_circuits,
    plot_experiments,
    plot_learning,
    plot_losses,
    plot_maps,
)
from helpers.plots.masks import (
    draw_corner,
    draw_mask,
    explore_corner,
    explore_mask,
    plot_influence,
    plot_masking,
    plot_masks,
)
from helpers.plots.positions import plot_by_distance, plot_lengths, plot_turns
from helpers.plots.readings import draw_alignment, explore_alignment, plot_alignments, plot_grid_readings
from helpers.plots.rings import (
    plot_heads_or_tokens,
    plot_journeys,
    plot_ring,
    plot_shares,
    plot_triangles,
)
from helpers.plots.tiles import explore_steps, plot_steps, plot_tiles
from helpers.plots.transformer import plot_transformer
from helpers.plots.weights import (
    draw_d_k,
    draw_temperature,
    explore_d_k,
    explore_temperature,
    plot_bars,
    plot_matrices,
    plot_matrix,
    weights_by_scale,
)

__all__ = [
    "cases_of",
    "draw_alignment",
    "draw_corner",
    "draw_d_k",
    "draw_head",
    "draw_mask",
    "draw_temperature",
    "experiments_of",
    "explore_alignment",
    "explore_corner",
    "explore_d_k",
    "explore_heads",
    "explore_mask",
    "explore_steps",
    "explore_temperature",
    "plot_alignments",
    "plot_arrows",
    "plot_attention_machine",
    "plot_bars",
    "plot_blame",
    "plot_by_distance",
    "plot_cases",
    "plot_changes",
    "plot_circuits",
    "plot_cloud",
    "plot_encoder_decoder",
    "plot_experiments",
    "plot_gpu",
    "plot_grid_readings",
    "plot_grids",
    "plot_heads",
    "plot_heads_or_tokens",
    "plot_held",
    "plot_induction",
    "plot_influence",
    "plot_journeys",
    "plot_language_block",
    "plot_learning",
    "plot_lengths",
    "plot_lines",
    "plot_losses",
    "plot_maps",
    "plot_masking",
    "plot_masks",
    "plot_matrices",
    "plot_matrix",
    "plot_moves",
    "plot_multi_head_block",
    "plot_panels",
    "plot_power",
    "plot_predicted",
    "plot_prefill_decode",
    "plot_race",
    "plot_ring",
    "plot_shares",
    "plot_sharing",
    "plot_spreads",
    "plot_steps",
    "plot_three_places",
    "plot_tiled_attention",
    "plot_tiles",
    "plot_transformer",
    "plot_triangles",
    "plot_turns",
    "plot_versions",
    "plot_way_back",
    "weights_by_scale",
]
