"""Laws of which kernels separate: what they predict, and what exact values say."""
