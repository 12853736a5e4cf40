import { RouterProvider } from '@tanstack/react-router'
import { type ReactNode, Suspense, useEffect, useState } from 'react'
import { UnauthorizedError } from 'worklore-client'
import { readErrorText } from './api/error-text'
import { forgetSession, readSessionSecret, signIn, takeLink } from './api/session'
import { Button } from './components/button'
import { onDemand } from './components/on-demand'
import { Empty } from './components/states'
import { createConsoleRouter } from './router'
import { type Console, ConsoleContext, openConsole } from './store/console'
import { useObservable } from './store/observable'

const SignInPage = onDemand(() => import('./pages/sign-in').then(({ SignInPage }) => ({ default: SignInPage })))

type State =
  | { is: 'opening' }
  | { is: 'signed-out'; message?: string }
  | { is: 'failed'; error: unknown }
  | { is: 'open'; console: Console; router: ReturnType<typeof createConsoleRouter> }

const credentialOf = async (): Promise<string | null> => {
  const link = takeLink()
  return link ? signIn({ link }) : readSessionSecret()
}

const open = async (given?: string): Promise<State> => {
  let secret: string | null
  try {
    secret = given ?? (await credentialOf())
  } catch (error) {
    return { is: 'signed-out', message: readErrorText(error) }
  }
  if (!secret) return { is: 'signed-out' }
  try {
    return { is: 'open', console: await openConsole(secret), router: createConsoleRouter() }
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) return { is: 'failed', error }
    forgetSession()
    return { is: 'signed-out', message: 'Your session has ended. Sign in again.' }
  }
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

export const App = ({ opening }: { opening?: Promise<State> }): ReactNode => {
  const [state, setState] = useState<State>({ is: 'opening' })
  const [first] = useState(() => opening ?? open())
  useEffect(() => {
    void first.then(setState)
  }, [first])
  if (state.is === 'opening') return <div className="splash" role="status" aria-label="Loading" />
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
    <OpenConsole
      state={state}
      onEnded={() => setState({ is: 'signed-out', message: 'Your session has ended. Sign in again.' })}
    />
  )
}
