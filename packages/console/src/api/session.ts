const storageKey = 'worklore.session'

export interface SignInError {
  message: string
  retryAfter?: number
}

/** One half of the session; the other is an HttpOnly cookie. */
export const readSessionSecret = (): string | null => localStorage.getItem(storageKey)
export const forgetSession = (): void => localStorage.removeItem(storageKey)

/** Takes the one-time link out of the address, so that it does not stay in the history. */
export const takeLink = (): string | null => {
  const link = new URLSearchParams(location.hash.slice(1)).get('link')
  if (link) history.replaceState(null, '', location.pathname + location.search)
  return link
}

/** Signs in with a one-time link or an API key; throws an error with the service's message. */
export const signIn = async (credential: { link: string } | { key: string }): Promise<string> => {
  const response = await fetch('/console/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(credential),
  }).catch(() => {
    throw new Error('The service does not answer. Check that it is running, then try again.')
  })
  const body = await response.json().catch(() => ({}))
  if (!response.ok) throw new Error(body.error?.message ?? `Sign-in failed with status ${response.status}.`)
  localStorage.setItem(storageKey, body.data.secret)
  return body.data.secret
}

export const signOut = async (secret: string): Promise<void> => {
  forgetSession()
  await fetch('/console/session', { method: 'DELETE', headers: { 'worklore-session': secret } }).catch(() => undefined)
}
