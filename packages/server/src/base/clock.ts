/** Milliseconds since 1970. Injected, so that a test can make time pass. */
export type Clock = () => number

export const systemClock: Clock = Date.now

export const isoTime = (ms: number): string => new Date(ms).toISOString()
