raise type("E" * 1_000_000, (Exception,), {})("m" * 10_000_000)
