"""`python -m dalembert` is the command `dalembert`."""

from dalembert.apps.cli import main

if __name__ == "__main__":
    main()
