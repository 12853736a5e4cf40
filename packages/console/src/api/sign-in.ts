import { keepSessionSecret, readSessionSecret } from './session'

/** The link is for another tenant or person than the one who is signed in; it was not used. */
export class OtherSessionError extends Error {}

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
  return body.data.secret
}
