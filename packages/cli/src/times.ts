import { usageError } from './exit-codes.js'

const units: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

const durationMs = (text: string): number | undefined => {
  const [, count, unit = 's'] = /^(\d+(?:\.\d+)?)([smhdw])?$/.exec(text) ?? []
  return count === undefined ? undefined : Number(count) * units[unit]!
}

/** A length of time: `90`, `90s`, `20m`, `2h`, `3d`, `1w`. */
export const secondsOf = (option: string, text: string | undefined): number | undefined => {
  if (text === undefined) return undefined
  const ms = durationMs(text)
  if (ms === undefined) throw usageError(`${option} must be a length of time such as 90s, 20m, 2h or 3d.`)
  return Math.round(ms / 1_000)
}

const timeOf = (option: string, text: string | undefined, sign: 1 | -1): string | undefined => {
  if (text === undefined) return undefined
  const ms = durationMs(text)
  const time = new Date(ms === undefined ? text : Date.now() + sign * ms)
  if (Number.isNaN(time.getTime()))
    throw usageError(`${option} must be a length of time such as 20m or 3d, or a time such as 2026-01-31T09:00:00Z.`)
  return ms === undefined ? text : time.toISOString()
}

/** A time, or so long ago. */
export const pastTime = (option: string, text: string | undefined): string | undefined => timeOf(option, text, -1)

/** A time, or so long from now. */
export const futureTime = (option: string, text: string | undefined): string | undefined => timeOf(option, text, 1)

/** How long ago, or how long until, in one unit. */
export const relative = (time: string, nowMs = Date.now()): string => {
  const ms = Math.abs(nowMs - Date.parse(time))
  const unit = (['w', 'd', 'h', 'm'] as const).find((each) => ms >= units[each]!) ?? 's'
  return `${Math.floor(ms / units[unit]!)}${unit}`
}

/** As a person reads it: local time to the minute. */
export const localTime = (time: string): string => {
  const date = new Date(time)
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 16).replace('T', ' ')
}
