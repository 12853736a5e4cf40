import { setTimeout as pause } from 'node:timers/promises'
import type { Worklore } from 'worklore-client'
import { exitUnavailable } from '#command-line'
import type { Bridge } from './bridge.js'
import { failureOf } from './failure.js'
import { LeaseHeldError } from './sync/position-store.js'

interface WatchOptions {
  wl: Worklore
  bridge: Bridge
  intervalMs: number
  /** How long it waits after a failure. */
  retryMs: number
  signal: AbortSignal
  /** Told each time a round has ended and nothing is left to do. */
  onIdle(): void
  note(line: string): void
}

const maxPollSeconds = 30
/** A note of the position counts as a write of knowledge, of which a plan allows 60 an hour. */
const minMsBetweenSaves = 60_000

/** Follows both sides: the event log of the service, GitHub by polling, and what webhooks name. */
export const createWatch = ({ wl, bridge, intervalMs, retryMs, signal, onIdle, note }: WatchOptions) => {
  const named = new Set<number>()
  let wake: (() => void) | undefined

  /** Waits until there is an event, a webhook came, or GitHub is to be asked again. */
  const waitForChange = async (untilMs: number): Promise<void> => {
    const seconds = Math.min(maxPollSeconds, Math.ceil((untilMs - Date.now()) / 1_000))
    if (named.size > 0 || seconds <= 0) return
    const controller = new AbortController()
    const stop = AbortSignal.any([signal, controller.signal])
    wake = () => controller.abort()
    try {
      const query = { after: bridge.position.events, types: ['task.*', 'comment.*'], limit: 1, wait: seconds }
      const { data, pagination } = await wl.events.list(query, { signal: stop })
      if (data.length === 0) bridge.position.events = pagination.nextAfter
    } catch (error) {
      if (!stop.aborted) throw error
    } finally {
      wake = undefined
    }
  }

  const follow = async (isFull: boolean): Promise<void> => {
    let isDirty = false
    let savedAtMs = 0
    let dueAtMs = 0
    let isFullDue = isFull
    while (!signal.aborted) {
      try {
        const isDue = Date.now() >= dueAtMs
        const issues = [...named]
        named.clear()
        const isChanged = await bridge.round({
          isFull: isFullDue,
          withGitHub: isDue || issues.length > 0,
          withPending: isDue,
          issues,
        })
        isFullDue = false
        if (isDue) dueAtMs = Date.now() + intervalMs
        isDirty ||= isChanged
        if (Date.now() - savedAtMs >= minMsBetweenSaves) {
          await bridge.save(isDirty)
          isDirty = false
          savedAtMs = Date.now()
        }
        if (!isChanged) onIdle()
        await waitForChange(dueAtMs)
      } catch (error) {
        const { line, exitCode } = failureOf(error)
        if (exitCode !== exitUnavailable && !(error instanceof LeaseHeldError)) throw error
        // What webhooks named is asked for again.
        dueAtMs = 0
        note(`${line} Trying again in ${retryMs / 1_000} s.`)
        await pause(retryMs, undefined, { signal }).catch(() => {})
      }
    }
    await bridge.save(false)
  }

  return {
    run: (isFull: boolean): Promise<void> => follow(isFull).finally(() => bridge.release()),
    lookAt: (number: number): void => {
      named.add(number)
      wake?.()
    },
  }
}
