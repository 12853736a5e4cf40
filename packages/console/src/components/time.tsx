import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'

const tickMs = 10_000

const TickContext = createContext(0)

/** One clock for all relative times below it, so that they change together; rows that scroll by subscribe to nothing. */
export const Clock = ({ children }: { children: ReactNode }): ReactNode => {
  const [tick, setTick] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setTick((value) => value + 1), tickMs)
    return () => clearInterval(timer)
  }, [])
  return <TickContext value={tick}>{children}</TickContext>
}

/** The time; whoever asks is rendered again with each tick. */
export const useNow = (): number => {
  useContext(TickContext)
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
