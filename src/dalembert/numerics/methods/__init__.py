"""Methods of integration, one file or folder each."""
