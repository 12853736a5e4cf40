import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { readErrorText } from '../api/error-text'
import { Button } from '../components/button'
import { Empty } from '../components/states'
import { Page } from './page'

export const NotFoundPage = (): ReactNode => (
  <Page title="Not found">
    <Empty icon="search" title="There is no such page">
      <Link to="/" className="link">
        Go to the overview
      </Link>
    </Empty>
  </Page>
)

const Reload = ({ error, title }: { error: unknown; title: string }): ReactNode => (
  <Empty icon="alert" title={title}>
    <p>{readErrorText(error)}</p>
    <Button onClick={() => location.reload()}>Reload</Button>
  </Empty>
)

/** In place of a page that could not be shown. */
export const PageFailure = ({ error }: { error: unknown }): ReactNode => (
  <Page title="Something went wrong">
    <Reload error={error} title="This page could not be shown" />
  </Page>
)

/** In place of everything, where what is around the pages could not be shown. */
export const ShellFailure = ({ error }: { error: unknown }): ReactNode => (
  <main className="centered">
    <Reload error={error} title="The console could not be shown" />
  </main>
)
