"""What is drawn at random: literal layers, anybody's, and the reduced law of the delta rule."""
