import type { ReactNode } from 'react'
import { errorText } from '../api/error-text'
import { Button } from '../components/button'
import { Failure, Skeletons } from '../components/states'
import { Time } from '../components/time'
import { useConsole } from '../store/console'
import { useLoaded } from '../store/use-loaded'

/** The browser and system, out of a long user agent. */
const browserOf = (userAgent: string | null): string => {
  const browser = userAgent
    ?.match(/(Firefox|Edg|Chrome|Safari)\/\d+/)?.[0]
    .replace('/', ' ')
    .replace('Edg', 'Edge')
  const system = userAgent?.match(/Windows|Mac OS X|Android|iPhone|Linux/)?.[0]
  return [browser, system].filter(Boolean).join(' on ') || 'Unknown browser'
}

export const Sessions = (): ReactNode => {
  const { client, toasts } = useConsole()
  const { data, error, reload } = useLoaded(
    async (signal) => (await client.sessions.list({ limit: 100 }, { signal })).data,
    ['sessions'],
  )
  if (error && !data) return <Failure error={error} what="the sessions" onRetry={reload} />
  if (!data) return <Skeletons count={2} />
  return (
    <ul className="rows">
      {data.map((session) => (
        <li key={session.id} className="row">
          <span className="row-main">
            <span className="row-title">
              {session.keyName} {session.current && <span className="badge green">this browser</span>}
            </span>
            <small>
              {browserOf(session.userAgent)} · {session.address ?? 'unknown address'} · used{' '}
              <Time at={session.lastUsedAt} /> · ends <Time at={session.expiresAt} />
            </small>
          </span>
          {!session.current && (
            <Button
              small
              onClick={() => {
                client.sessions.end(session.id).then(reload, (cause) => toasts.error(errorText(cause)))
              }}
              aria-label={`Sign out the session of ${session.keyName}`}
            >
              Sign out
            </Button>
          )}
        </li>
      ))}
    </ul>
  )
}
