import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import { readErrorText } from '../api/error-text'
import { type Issuer, keepPage, listIssuers, signIn } from '../api/sign-in'
import { Button } from '../components/button'
import { Command } from '../components/states'
import { BrandMark } from '../shell/brand'
import '../styles/sign-in.css'

interface SignInPageProps {
  message: string | undefined
  onSignedIn: (secret: string) => void
}

export const SignInPage = ({ message, onSignedIn }: SignInPageProps): ReactNode => {
  const [key, setKey] = useState('')
  const [error, setError] = useState<string>()
  const [isSending, setIsSending] = useState(false)
  const [issuers, setIssuers] = useState<Issuer[]>([])
  // A link that was pasted into the address may be refused while the page is open.
  useEffect(() => setError(message), [message])
  useEffect(() => {
    void listIssuers().then(setIssuers)
  }, [])
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setIsSending(true)
    const text = key.trim()
    try {
      const link = text.match(/wl_link_\w+/)?.[0]
      onSignedIn(await signIn(link ? { link, replace: true } : { key: text }))
    } catch (cause) {
      setError(readErrorText(cause))
      setIsSending(false)
    }
  }
  return (
    <main className="centered">
      <div className="sign-in">
        <div className="sign-in-brand">
          <BrandMark />
          <h1>Worklore</h1>
        </div>
        {issuers.map(({ name, url }) => (
          <a key={url} className="button primary" href={url} onClick={keepPage}>
            Sign in with {name}
          </a>
        ))}
        <form className="form" onSubmit={submit}>
          <div className="field">
            <label htmlFor="key">API key</label>
            <input
              id="key"
              className="input mono"
              type="password"
              autoComplete="off"
              placeholder="wl_live_…"
              value={key}
              onChange={(event) => setKey(event.target.value)}
              // biome-ignore lint/a11y/noAutofocus: the page has one purpose
              autoFocus
              required
            />
            <p className="field-hint">The key is traded for a session and is not kept in the browser.</p>
          </div>
          {error && (
            <p className="form-error" role="alert">
              {error}
            </p>
          )}
          <Button
            type="submit"
            {...(issuers.length === 0 && { kind: 'primary' })}
            disabled={isSending || key.trim() === ''}
          >
            {isSending ? 'Signing in…' : 'Sign in'}
          </Button>
        </form>
        <div className="sign-in-hint">
          <p>No key at hand? On the machine that runs the service, get a one-time link:</p>
          <Command text="npx worklore console" />
        </div>
      </div>
    </main>
  )
}
