import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Empty } from '../components/states'
import { Page } from '../shell/page'

export const NotFoundPage = (): ReactNode => (
  <Page title="Not found">
    <Empty icon="search" title="There is no such page">
      <Link to="/" className="link">
        Go to the overview
      </Link>
    </Empty>
  </Page>
)
