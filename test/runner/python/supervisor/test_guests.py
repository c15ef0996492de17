"""What the supervisor finds of processes that a program left, in a world that the test makes."""

import unittest
from unittest import mock

from ptc_runner.supervisor.guests import leftovers
from ptc_runner.supervisor.guests.guests import Guests


class Orphaned:
    """A guest's child, which ends after the first look at any list, and its own child, which the supervisor adopts."""

    def __init__(self):
        self._checks = 0

    def _ends_after_the_first_look(self):
        self._checks += 1
        return self._checks > 1

    def read(self):
        """The list of the supervisor's children."""
        return b"2 4 " if self._ends_after_the_first_look() else b"2 "

    def has_no_children(self):
        """What the guest says of its own."""
        return self._ends_after_the_first_look()


class GuestsTest(unittest.TestCase):
    def test_a_process_is_found_though_its_parent_ends_while_the_lists_are_read(self):
        world = Orphaned()
        guests = Guests.__new__(Guests)
        guests._children, guests._links, guests._known = world, [mock.Mock(pid=2, pids=(2,))], [2]
        guests._helpers = []
        guests._links[0].has_no_children = world.has_no_children
        guests._killed = set()
        with mock.patch.object(leftovers, "end_leftovers") as end_leftovers:
            guests._end_leftovers(False, None)
        end_leftovers.assert_called_once()


if __name__ == "__main__":
    unittest.main()
