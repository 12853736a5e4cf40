/** The start of a URL, its hosts with their ports, and the rest. */
const parts = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/

const sessionAttributes = 'target_session_attrs'
/** Both mean the server that takes writes; the service needs no other. */
const allowed = ['primary', 'read-write']

const withoutSessionAttributes = (text: string): string => {
  const url = new URL(text)
  const wanted = url.searchParams.get(sessionAttributes)
  if (wanted !== null && !allowed.includes(wanted)) {
    throw new Error(`has ${sessionAttributes}=${wanted}, which must be ${allowed.join(' or ')}`)
  }
  url.searchParams.delete(sessionAttributes)
  return url.href
}

/** One URL for each host of a URL that may name several, as in `postgres://user@one:5432,two:5433/name`. */
export const urlsOfHosts = (text: string): string[] => {
  const [, start, hosts, rest] = parts.exec(text) ?? []
  if (hosts === undefined) throw new Error('must be a postgres:// URL')
  const urls = hosts.split(',').map((host) => `${start}${host}${rest}`)
  if (!urls.every((url) => URL.canParse(url))) throw new Error('must be a postgres:// URL')
  return urls.map(withoutSessionAttributes)
}
