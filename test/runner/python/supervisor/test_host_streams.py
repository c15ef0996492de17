"""The host's bytes: frames come whole, tool results pass through as they come."""

import unittest

from ptc_runner.shared.frames import with_data
from ptc_runner.supervisor.host_streams import HostInput

EXECUTE = b'__PTC_EXECUTE__{"execution_id":"1","code":"x"}__PTC_END_EXECUTE__\n'
RESULT = b'__PTC_TOOL_RESULT__{"call_id":"1","error":null,"result":"%s"}__PTC_END_RESULT__\n' % (b"r" * 50)
CANCEL = b'__PTC_CANCEL__{"execution_id":"1"}__PTC_END_CANCEL__\n'
# Its data looks like a frame.
REQUEST = with_data(b"\n" + CANCEL, b'__PTC_FILE_REQUEST__{"request_id":"1"}__PTC_END_FILE_REQUEST__\n')


class HostInputTest(unittest.TestCase):
    def read(self, *parts):
        frames, relayed = [], []
        host_input = HostInput(frames.append, relayed.append)
        for part in parts:
            host_input.push(part)
        return frames, b"".join(relayed)

    def test_the_same_comes_out_wherever_the_bytes_are_split(self):
        data = EXECUTE + REQUEST + RESULT + CANCEL + RESULT + REQUEST
        for place in range(len(data) + 1):
            self.assertEqual(self.read(data[:place], data[place:]), ([EXECUTE, REQUEST, CANCEL, REQUEST], RESULT * 2))
        self.assertEqual(
            self.read(*(data[i : i + 1] for i in range(len(data)))), ([EXECUTE, REQUEST, CANCEL, REQUEST], RESULT * 2)
        )

    def test_a_long_result_is_not_collected_first(self):
        _, relayed = self.read(RESULT[:60])
        self.assertEqual(relayed, RESULT[:60])
