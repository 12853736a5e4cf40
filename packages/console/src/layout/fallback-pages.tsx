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

/** In place of a page that could not be shown, or of all that is around the pages: it needs nothing of that. */
export const PageFailure = ({ error }: { error: unknown }): ReactNode => (
  <div className="centered">
    <Empty icon="alert" title="This page could not be shown">
      <p>{readErrorText(error)}</p>
      <Button onClick={() => location.reload()}>Reload</Button>
    </Empty>
  </div>
)
