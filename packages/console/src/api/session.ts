const storageKey = 'worklore.session'

/** One half of the session; the other is an HttpOnly cookie. */
export const readSessionSecret = (): string | null => localStorage.getItem(storageKey)
export const keepSessionSecret = (secret: string): void => localStorage.setItem(storageKey, secret)
export const forgetSession = (): void => localStorage.removeItem(storageKey)

/** Takes the one-time link out of the address, so that it does not stay in the history. */
export const takeLink = (): string | null => {
  const link = new URLSearchParams(location.hash.slice(1)).get('link')
  if (link) history.replaceState(null, '', location.pathname + location.search)
  return link
}

export const signOut = async (secret: string): Promise<void> => {
  forgetSession()
  await fetch('/console/session', { method: 'DELETE', headers: { 'worklore-session': secret } }).catch(() => undefined)
}
