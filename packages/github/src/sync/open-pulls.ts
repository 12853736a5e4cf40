import { isGone, isServerFailure } from '../github/client.js'
import type { SyncContext } from './context.js'
import type { OpenPull } from './position.js'
import type { Round } from './round.js'

/** How many of those whose checks run, and of the others, are asked for in a round. */
const maxAsked = 5
/** A second change within the second of the first, and checks that begin after a push, show in no list. */
const recentMs = 120_000

/** All get their turn, also in runs that note no position. */
const someOf = (pulls: readonly OpenPull[]): OpenPull[] => {
  const start = Math.floor(Math.random() * pulls.length)
  return [...pulls.slice(start), ...pulls.slice(0, start)].slice(0, maxAsked)
}

const isChanged = async ({ github }: SyncContext, known: OpenPull): Promise<boolean> => {
  try {
    const pull = await github.pull(known.number, known.etag)
    // The answer has figures of the repository too, which do not matter.
    if (pull && (pull.data.head.sha !== known.sha || pull.data.updated_at !== known.updatedAt)) return true
    return (await github.checkRuns(known.sha, known.checksEtag)) !== undefined
  } catch (error) {
    if (isGone(error) || isServerFailure(error)) return true
    throw error
  }
}

/** The open pull requests that no list showed and that changed all the same. */
export const pullsToLookAt = async ({ context, isFull, seen, openPulls }: Round): Promise<number[]> => {
  const unseen = [...openPulls.values()].filter(({ number }) => !seen.has(number))
  const sinceMs = Date.now() - recentMs
  const isRecent = ({ updatedAt }: OpenPull): boolean => isFull || Date.parse(updatedAt) > sinceMs
  const found = unseen.filter(isRecent)
  const others = unseen.filter((pull) => !isRecent(pull))
  const asked = [
    ...someOf(others.filter(({ isRunning }) => isRunning)),
    ...someOf(others.filter(({ isRunning }) => !isRunning)),
  ]
  for (const pull of asked) if (await isChanged(context, pull)) found.push(pull)
  return found.map(({ number }) => number)
}
