import type { ReactNode } from 'react'

/** Whether agents work follows from their claims, which are part of the tasks. */
export const ClaimsHidden = (): ReactNode => (
  <div className="notice blue">
    <span>
      Seeing who works on what needs the scope <code>tasks:read</code>, which your key does not have.
    </span>
  </div>
)
