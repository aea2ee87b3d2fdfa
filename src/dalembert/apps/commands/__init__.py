"""The commands: one file each, loaded when it is used. This table is what ``dalembert --help`` prints."""

COMMANDS = {
    "new": "Write a commented system file to start from.",
    "check": "Check a system file: names, units, constraints, starts.",
    "derive": "Typeset the equations of motion, or write them as code.",
    "run": "Simulate a system file, audit, store and report the runs.",
    "compare": "Hold principles against each other from one start.",
    "film": "Film the bodies of a system file.",
    "explore": "Write a page with sliders, in which every principle is integrated.",
    "sweep": "Run over ranges of starts and parameters.",
    "family": "Follow steady or periodic motions in a parameter.",
    "fit": "Find parameters from a recorded track, and rank principles and laws.",
    "export": "Turn a stored result into a table (CSV), page (HTML), figure or plot (SVG).",
    "gallery": "List the classical systems, or run one of them.",
    "verify": "Check the certificate of a proved motion.",
    "reproduce": "Reproduce a published paper.",
    "cite": "Say what to cite, and why.",
    "explain": "Explain an error, a warning or a note by its code.",
    "doctor": "Check this installation.",
    "completion": "Print the completion script of a shell.",
}
