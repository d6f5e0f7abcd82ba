"""The tables of the study: forecasts of heads, beside what they did."""
