text=x
while :; do text+=$text; done
