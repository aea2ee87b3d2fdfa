"""What the exit code of a command means."""

OK, MODEL, COMMAND, RUN, INTERRUPTED = range(5)
