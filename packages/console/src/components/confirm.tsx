import { type ReactNode, Suspense } from 'react'
import type { ConfirmProps } from './confirm-dialog'
import { onDemand } from './on-demand'

const ConfirmDialog = onDemand(() =>
  import('./confirm-dialog').then(({ ConfirmDialog }) => ({ default: ConfirmDialog })),
)

/** A question before something is done, loaded when it is first asked. */
export const Confirm = (props: ConfirmProps): ReactNode => (
  <Suspense>
    <ConfirmDialog {...props} />
  </Suspense>
)
