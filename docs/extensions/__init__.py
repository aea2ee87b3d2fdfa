"""What the documentation needs beyond Sphinx: formulas without a script, listings that are run, generated reference."""
