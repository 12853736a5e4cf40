import type { ReactNode } from 'react'

export const BrandMark = (): ReactNode => (
  <span className="brand-mark" aria-hidden="true">
    <svg width="14" height="14" viewBox="0 0 14 14" fill="none" stroke="currentColor" strokeWidth="1.7">
      <path d="M2 3.5l2 7 3-5.5 3 5.5 2-7" strokeLinecap="round" strokeLinejoin="round" />
    </svg>
  </span>
)
