"""Methods of fixed step that keep what the motion keeps."""
