"""Papers reproduced: a folder a paper, made of claims; what papers share stands beside the folders."""
