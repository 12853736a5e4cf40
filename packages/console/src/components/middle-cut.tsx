import type { ReactNode } from 'react'

/** Shorter names are cut at their end. */
const minLength = 14
/** Characters at the end that stay, because names often differ there alone. */
const keptAtEnd = 6

/** A name that is cut in its middle where there is no room for it. */
export const MiddleCut = ({ text }: { text: string }): ReactNode => {
  const chars = [...text]
  if (chars.length < minLength) return <span className="truncate">{text}</span>
  return (
    <span className="middle-cut">
      <span className="visually-hidden">{text}</span>
      <span className="truncate" aria-hidden="true">
        {chars.slice(0, -keptAtEnd).join('')}
      </span>
      <span aria-hidden="true">{chars.slice(-keptAtEnd).join('')}</span>
    </span>
  )
}
