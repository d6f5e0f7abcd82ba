"""The columns of this study's tables."""

import pyarrow as pa

from ...results.tables import schema

FORETOLD = schema(
    layer=int,
    head=int,
    text=str,
    segment=int,
    n=int,
    at=int,
    held_out=float,
    share=float,
    foretold=float,
    low=float,
    high=float,
)
"""What a head on one context foretells of another number of tokens."""

FORECASTS = pa.unify_schemas([FORETOLD, schema(real=float, real_of_old=float, rows_within=float)])
FAR = pa.unify_schemas(
    [
        FORETOLD,
        schema(reach=float, reach_low=float, reach_high=float, temperature=float, found=float),
    ]
)
ERRORS = schema(
    filler=str,
    n=int,
    at=int,
    heads=int,
    known=int,
    error=float,
    absolute_error=float,
    unchanged_error=float,
    unchanged_absolute_error=float,
    held=int,
    trusted=int,
    trusted_held=int,
    rescored=int,
    old_change=float,
    new_change=float,
    new_error=float,
    new_held=int,
)
TARGETS = schema(
    target=str,
    filler=str,
    n=int,
    depth=float,
    layer=int,
    head=int,
    contexts=int,
    share=float,
    least_share=float,
)
