"""Every lemma and theorem of the paper as data, held against what the code computes."""
