import { type ReactNode, Suspense } from 'react'
import { onDemand } from '../components/on-demand'
import type { BadgesProps } from './badge-list'

const BadgeList = onDemand(() => import('./badge-list').then(({ BadgeList }) => ({ default: BadgeList })))

/** How an item differs from one that holds and that nobody has reviewed; nothing where it does not. */
export const Badges = (props: BadgesProps): ReactNode =>
  (props.state !== 'current' || props.trust !== 'unreviewed' || props.isStale) && (
    <Suspense>
      <BadgeList {...props} />
    </Suspense>
  )
