"""`python -m dalembert` is the command `dalembert`."""

from dalembert.apps.cli import main
from dalembert.apps.process import follow_parent

if __name__ == "__main__":
    follow_parent()
    main()
