import type { CSSProperties, ReactNode } from 'react'
import { hueOf, initialsOf } from './avatar-look'
import type { Choice } from './menu'

export const Avatar = ({ name, isAgent }: { name: string | null; isAgent?: boolean }): ReactNode =>
  name === null ? (
    <span className="avatar none" aria-hidden="true" />
  ) : (
    <span
      className={isAgent ? 'avatar agent' : 'avatar'}
      style={{ '--hue': hueOf(name) } as CSSProperties}
      data-initials={initialsOf(name)}
      aria-hidden="true"
    />
  )

export const LabelChip = ({ label }: { label: string }): ReactNode => (
  <span className="chip" title={label}>
    <span className="dot" style={{ background: `hsl(${hueOf(label)} 55% 52%)` }} />
    <span className="truncate">{label}</span>
  </span>
)

/** A label or tag in a list of choices. */
export const labelChoice = (label: string): Choice<string> => ({
  value: label,
  label,
  icon: <span className="label-dot" style={{ background: `hsl(${hueOf(label)} 55% 52%)` }} />,
})
