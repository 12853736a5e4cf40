import { type ReactNode, useSyncExternalStore } from 'react'

const tickMs = 10_000

const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

/** One clock for all relative times, so that they change together; rows that scroll by start no timers. */
const clock = {
  subscribe: (listener: () => void): (() => void) => {
    if (listeners.size === 0) {
      timer = setInterval(() => {
        for (const each of listeners) each()
      }, tickMs)
    }
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0) clearInterval(timer)
    }
  },
  now: (): number => Math.floor(Date.now() / tickMs),
}

/** The time, as of the last tick. */
export const useNow = (): number => {
  useSyncExternalStore(clock.subscribe, clock.now)
  return Date.now()
}

const units: [name: string, ms: number][] = [
  ['y', 365 * 86_400_000],
  ['mo', 30 * 86_400_000],
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
]

export const durationText = (ms: number): string => {
  for (const [name, size] of units) if (ms >= size) return `${Math.floor(ms / size)}${name}`
  return `${Math.max(0, Math.floor(ms / 1000))}s`
}

export const relativeTime = (iso: string, nowMs: number): string => {
  const agoMs = nowMs - Date.parse(iso)
  if (agoMs < 0) return agoMs > -5_000 ? 'now' : `in ${durationText(-agoMs)}`
  return agoMs < 10_000 ? 'now' : `${durationText(agoMs)} ago`
}

/** Made once: a format costs more than a row of a list. */
const exactFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

export const exactTime = (iso: string): string => exactFormat.format(Date.parse(iso))

/** A relative time, with the exact one on hover. */
export const Time = ({ at, short }: { at: string; short?: boolean }): ReactNode => {
  const text = relativeTime(at, useNow())
  return (
    <time dateTime={at} title={exactTime(at)} className="num">
      {short ? text.replace(' ago', '') : text}
    </time>
  )
}

export const clockTime = (iso: string): string =>
  new Date(iso).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false })
