// SPDX-License-Identifier: Apache-2.0
package pagepress.queues

import spinal.core.Component

/** The blocks of this room that are tested alone. */
object QueueBlocks {
  def all(config: QueueConfig): Seq[(String, () => Component)] = Seq(
    "register_file" -> (() => RegisterFile(config)),
    "queue_pairs" -> (() => QueuePairs(config)),
    // For proofs: two queues, rings of two to eight entries.
    "queue_pairs_small" -> (() => QueuePairs(config.copy(queuePairs = 2, maxDepthLog2 = 3, waitingEntries = 4, fetchEntries = 4))),
    "counters" -> (() => Counters(widest = config.lengthWidth)),
    "queue_monitor" -> (() => QueueMonitor(config.copy(queuePairs = 3, monitored = true))),
    "moderation" -> (() => Moderation(config)),
    // For proofs.
    "moderation_small" -> (() => Moderation(config.copy(queuePairs = 2, maxDepthLog2 = 3))),
    "submission_push" -> (() => SubmissionPush(config)),
    "submission_fetch" -> (() => SubmissionFetch(config)),
    "command_check" -> (() => CommandCheck(config)),
    "weighted_turns" -> (() => WeightedTurns(config)),
    // For proofs.
    "weighted_turns_small" -> (() => WeightedTurns(config.copy(queuePairs = 3))),
    "command_dispatch" -> (() => CommandDispatch(config.copy(compressors = 3, decompressors = 2))),
    "completion_writer" -> (() => CompletionWriter(config)))
}
