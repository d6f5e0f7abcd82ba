"""Words that several laws share: what they speak of, what they need, and their error terms."""

from .verdicts import LARGEST_ERROR

LEAST_CLASSES = 6
"""With fewer the floor itself may be half of exp's P."""

DEFINITIONS = (
    "R, the weight ratio, is the weight of D1's special token over that of a token of another "
    "class, in the special token's own row; with X all ones, in the row where it is largest. R_0 "
    "is the same on D0. rho is the weight ratio of an ordinary token's own class. f = R / (R + n "
    "(K - 1 + rho) / K) is the special token's share of its row. P is the probability at the "
    "best threshold, and the floor is P as f goes to 0. A level is b (Sigma + rho - "
    "1) / (K - 1 + rho), Sigma the sum of the K class signs; in cross-attention b is 1. f_c is "
    "the least f at which P is half of exp's, and C = (1 / f_c - 1) K / (K - 1 + rho). The "
    "criterion: a kernel separates where n <= C R, in cross-attention n <= C R - (C + 1) R_0. "
    "gamma_1 is log R / log n of e^x: a1^2 + b^2 with X = I, a1 (a1 + b + c) with X all ones, a1 "
    "in cross-attention."
)

CONDITION = (
    f"K is at least {LEAST_CLASSES}. exp itself separates at every n: a1 >= 1, with X all ones "
    "a1 (a1 + b + c) >= 1. In self-attention b < c, so that the levels of y_d = + and - lie apart. "
    "There 2 b <= a1 as well, so that the special token alone lifts a column over every level. "
    "What it lifts with y_d = - is below the threshold, a1 + b - c < c + level, or columns of D0 "
    "are above that level too often, with p each: (1 - p)^m < 1 - (3/4)^m."
)
"""When the mixture law is derived."""

LEFT_OUT = (
    "The laws leave out shifts of order 1/n, and e: how far the weight ratio of the own class in "
    "D1's special row is from rho. It is 0 for functions of scores. Together they are worth at "
    "most e R + 2 R_0 beside R. The error term of R is the change of a prediction with R so much "
    "less, and so much more. With X = I states of one level are in order if a1 h - 2 b |h - 1| > "
    "(a0 + b) R_0 - b rho. h is the weight ratio of D1's special token in ordinary rows, 1 for "
    "functions of scores. In the other two layers they are always in order."
)

WORDS = (DEFINITIONS, f"All laws of P and of n need: {CONDITION}", LEFT_OUT)
"""What the laws speak of, what all need, and what they leave out."""

SMALL_ERROR = (
    f"The error term is at most {100 * LARGEST_ERROR:g} %. Where the order of one level's states "
    "is not known, it includes that too."
)
NO_CHANGE = (
    "Neither the error term of R nor the order of one level's states changes the prediction."
)

ERROR_OF_R = "That of R."
ERROR_OF_SEARCH = "That of R, and 1e-7 for the search."
ERROR_OF_N = "That of R, and one step of K tokens."
