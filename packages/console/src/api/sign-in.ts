import { keepSessionSecret, readSessionSecret } from './session'

/** The link is for another tenant or person than the one who is signed in; it was not used. */
export class OtherSessionError extends Error {}

/** Where people can sign in with an account of theirs. */
export interface Issuer {
  name: string
  url: string
}

/** None where the service cannot say: a key still works. */
export const listIssuers = async (): Promise<Issuer[]> => {
  try {
    return (await (await fetch('/console/oidc/issuers')).json()).data
  } catch {
    return []
  }
}

const returnKey = 'worklore.return'

/** Remembers the page for the time at the issuer, in this tab alone. */
export const keepPage = (): void => sessionStorage.setItem(returnKey, location.pathname + location.search)

/** The address changes without a request, and only within the console's own origin. */
const returnToPage = (): void => {
  const page = sessionStorage.getItem(returnKey)
  sessionStorage.removeItem(returnKey)
  if (page && location.pathname + location.search === '/console/') history.replaceState(null, '', page)
}

type Credential = { key: string } | { link: string; replace?: boolean }

/** Signs in with a one-time link or an API key; throws an error with the service's message. */
export const signIn = async (credential: Credential): Promise<string> => {
  const present = readSessionSecret()
  const response = await fetch('/console/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(present && { 'worklore-session': present }) },
    body: JSON.stringify(credential),
  }).catch(() => {
    throw new Error('The service does not answer. Check that it is running, then try again.')
  })
  const body = await response.json().catch(() => ({}))
  if (body.error?.reason === 'session') throw new OtherSessionError(body.error.message)
  if (!response.ok) throw new Error(body.error?.message ?? `Sign-in failed with status ${response.status}.`)
  keepSessionSecret(body.data.secret)
  returnToPage()
  return body.data.secret
}
