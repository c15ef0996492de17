import os
import sys

for tool in ("echo", "forbidden"):
    frame = '__PTC_TOOL_CALL__{"execution_id":"1","call_id":"x","tool_name":"%s","arguments":{}}__PTC_END_CALL__' % tool
    print(frame, file=sys.stderr, flush=True)
    os.write(2, frame.encode() + b"\n")
