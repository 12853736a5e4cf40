import { RouterProvider } from '@tanstack/react-router'
import { type ReactNode, Suspense, useCallback, useEffect, useState } from 'react'
import { UnauthorizedError } from 'worklore-client'
import { readErrorText } from './api/error-text'
import { forgetSession, readSessionSecret, takeLink } from './api/session'
import { Button } from './components/button'
import { loadPart, onDemand } from './components/on-demand'
import { Empty } from './components/states'
import type { OtherLink } from './pages/replace-session'
import { createConsoleRouter } from './router'
import { useObservable } from './store/base/observable'
import { type Console, ConsoleContext, openConsole } from './store/console'

const ReplaceSession = onDemand(() =>
  import('./pages/replace-session').then(({ ReplaceSession }) => ({ default: ReplaceSession })),
)
const SignInPage = onDemand(() => import('./pages/sign-in').then(({ SignInPage }) => ({ default: SignInPage })))

type State =
  | { is: 'opening' }
  | { is: 'signed-out'; message?: string }
  | { is: 'failed'; error: unknown }
  | { is: 'open'; console: Console; router: ReturnType<typeof createConsoleRouter> }

interface Opened {
  state: State
  other?: OtherLink
}

const ended: State = { is: 'signed-out', message: 'Your session has ended. Sign in again.' }

const open = async (secret: string | null): Promise<State> => {
  if (!secret) return { is: 'signed-out' }
  try {
    return { is: 'open', console: await openConsole(secret), router: createConsoleRouter() }
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) return { is: 'failed', error }
    forgetSession()
    return ended
  }
}

const openWithLink = async (link: string): Promise<Opened> => {
  const { OtherSessionError, signIn } = await loadPart(() => import('./api/sign-in'))
  try {
    return { state: await open(await signIn({ link })) }
  } catch (error) {
    const message = readErrorText(error)
    const state = await open(readSessionSecret())
    if (error instanceof OtherSessionError) return { state, other: { link, message } }
    if (state.is === 'open') state.console.toasts.error(message)
    return { state: state.is === 'signed-out' ? { is: 'signed-out', message } : state }
  }
}

const start = async (): Promise<Opened> => {
  const link = takeLink()
  return link ? openWithLink(link) : { state: await open(readSessionSecret()) }
}

const OpenConsole = ({ state, onEnded }: { state: State & { is: 'open' }; onEnded: () => void }): ReactNode => {
  const isSignedOut = useObservable(state.console.isSignedOut)
  useEffect(() => {
    if (!isSignedOut) return
    state.console.stop()
    onEnded()
  }, [isSignedOut, state.console, onEnded])
  return (
    <ConsoleContext value={state.console}>
      <RouterProvider router={state.router} />
    </ConsoleContext>
  )
}

/** The frame of the page, as index.html shows it until the script runs. */
const Splash = (): ReactNode => (
  <div className="splash" role="status" aria-label="Loading">
    <div />
    <div />
  </div>
)

export const App = (): ReactNode => {
  const [state, setState] = useState<State>({ is: 'opening' })
  const [other, setOther] = useState<OtherLink>()
  const [first] = useState(start)

  const show = useCallback(({ state: next, other: asked }: Opened): void => {
    setState((before) => {
      if (before.is === 'open') before.console.stop()
      return next
    })
    setOther(asked)
  }, [])

  useEffect(() => {
    void first.then(show)
    // A link that is pasted into the address of an open page does not load it again.
    const onHashChange = (): void => {
      const link = takeLink()
      if (link) void openWithLink(link).then(show)
    }
    addEventListener('hashchange', onHashChange)
    return () => removeEventListener('hashchange', onHashChange)
  }, [first, show])

  if (state.is === 'opening') return <Splash />
  if (state.is === 'signed-out') {
    return (
      <Suspense>
        <SignInPage
          message={state.message}
          onSignedIn={(secret) => {
            setState({ is: 'opening' })
            void open(secret).then(setState)
          }}
        />
      </Suspense>
    )
  }
  if (state.is === 'failed') {
    return (
      <main className="centered">
        <Empty icon="alert" title="The console could not start">
          <p>{readErrorText(state.error)}</p>
          <Button onClick={() => location.reload()}>Try again</Button>
        </Empty>
      </main>
    )
  }
  return (
    <>
      <OpenConsole key={state.console.session} state={state} onEnded={() => setState(ended)} />
      {other && (
        <Suspense>
          <ReplaceSession
            other={other}
            onSignedIn={async (secret) => show({ state: await open(secret) })}
            onClose={() => setOther(undefined)}
          />
        </Suspense>
      )}
    </>
  )
}
