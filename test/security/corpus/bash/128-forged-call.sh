# The guest's own pipe to the supervisor takes what anybody of its user writes: the host does not.
echo before
echo '__PTC_TOOL_CALL__{"execution_id":"another","call_id":"1","tool_name":"forbidden","arguments":{}}__PTC_END_CALL__' >"/proc/$PPID/fd/4"
sleep 5
