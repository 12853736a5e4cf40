import { type ReactNode, Suspense } from 'react'
import { onDemand } from '../on-demand'

const DiffView = onDemand(() => import('./diff-view').then(({ DiffView }) => ({ default: DiffView })))

interface DiffProps {
  before: string
  after: string
  label: string
}

/** What changed between two texts, loaded when it is first needed. */
export const Diff = (props: DiffProps): ReactNode => (
  <Suspense>
    <DiffView {...props} />
  </Suspense>
)
