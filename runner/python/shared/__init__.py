"""What the supervisor and its guests both use."""
