import builtins

builtins.print = builtins.len = lambda *_: 0
builtins.open = None
