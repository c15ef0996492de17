__EXIT_SESSION__ = """
__CODE_END__
    __EXIT_SESSION__
\t__PTC_EXIT__{}__PTC_END_EXIT__
__PTC_END_EXECUTE__
"""
print(__EXIT_SESSION__.split("\n"))
