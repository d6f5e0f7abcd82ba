"""Laws of which kernels separate D1 from D0: formulas, each prediction beside its exact value.

    weight_ratios   R: what the special token weighs against a token of another class
    mixture         P from the share of its row that the special token then has
    predictions     where P passes half of exp's: n, temperature, degree, bias, weight in X
    reach, probability, margins   the laws: what each says, and claims of which kernels
    words           English that several laws share
    verdicts        whether a claim agrees with its exact value
    law_table, elsewhere   the jobs: all claims at the data of the tables, and counts at other data

`reach` has laws of the largest n, `probability` of P, `margins` of the gap between scores.
"""
