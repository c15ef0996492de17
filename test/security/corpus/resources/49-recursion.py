def down():
    return down()


down()
