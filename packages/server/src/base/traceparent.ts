/** Version, trace id, parent id, flags; ids of zeros and version ff are invalid. Later versions may append fields. */
const pattern = /^(?!ff)([0-9a-f]{2})-((?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2})(-.*)?$/

/** The W3C trace context that a caller sent, as version 00; undefined if there is none or it is invalid. */
export const traceparentOf = (header: unknown): string | undefined => {
  if (typeof header !== 'string') return undefined
  const [, version, ids, more] = pattern.exec(header) ?? []
  if (version === undefined || (version === '00' && more !== undefined)) return undefined
  return `00-${ids}`
}
