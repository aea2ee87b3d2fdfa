"""What the columns of a family are called beside its parameter and its states; a stored family is read by these."""

PERIOD = "period"
DRIFT = "drift "  # and the name of the generator
