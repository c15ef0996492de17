"""The guests of a sandbox: their processes, their pipes, and what they report."""
