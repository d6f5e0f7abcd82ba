"""Laws of which kernels separate D1 from D0: formulas, each prediction beside its exact value.

    mixture         P from R, what the special token weighs against a token of another class
    predictions     where P passes half of exp's: n, temperature, degree, bias, weight in X
    reach, probability, margins   the laws: what each says, and claims of which kernels
    law             a law, whether a claim agrees with its exact value, words that laws share
    law_table       the jobs: all claims at the data of the tables, and counts at other data

`reach` has laws of the largest n, `probability` of P, `margins` of the gap between scores.
"""
