"""Systems with chosen features (`drawn`), their motion without the library (`truth`), and ways through the library
(`doors`): what `python -m fuzz combinations` holds against each other.
"""
