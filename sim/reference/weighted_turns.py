# SPDX-License-Identifier: Apache-2.0
"""What weights of queues promise, of the order in which commands of one kind begin.

    turns = WeightedTurns(4)
    turns.take({0, 2}, [1, 3, 2, 1])            queue whose turn it is among those that wait
    widest_share(order, weights, a, b)          how far a window of `order` is from the weights, at most WIDEST_SHARE
    longest_wait(weights, queue)                most commands of others before one of a queue that waits
"""
from pagepress_interface import MAX_WEIGHT

WIDEST_SHARE = 2


class WeightedTurns:
    """In a round each queue that waits is taken once; one of weight w takes part in the first w rounds of a cycle."""

    def __init__(self, queues):
        self.queues = range(queues)
        self.round, self.due = 1, set(self.queues)

    def take(self, waiting, weights):
        """The queue whose turn it is, None where none waits."""
        while waiting:
            if asking := self.due & waiting:
                self.due.discard(min(asking))
                return min(asking)
            further = {queue for queue in self.queues if weights[queue] > self.round}
            self.round, self.due = (self.round + 1, further) if further & waiting else (1, set(self.queues))
        self.round, self.due = 1, set(self.queues)
        return None


def widest_share(order, weights, first, second):
    """Over all windows of `order`, queues in which both always wait: by how much what the one was taken for one of its weight
    differs from the other's."""
    level = least = most = widest = 0
    for queue in order:
        level += (queue == first) * weights[second] - (queue == second) * weights[first]
        least, most = min(least, level), max(most, level)
        widest = max(widest, most - least)
    return widest / (weights[first] * weights[second])


def longest_wait(weights, queue):
    """Commands of other queues that may be taken before one of `queue`, at most; `weights` stay as they are."""
    return sum(weights) - weights[queue] + queue


def longest_wait_ever(queues):
    """The same whatever weights are and however they change."""
    return (MAX_WEIGHT + 1) * (queues - 1)
