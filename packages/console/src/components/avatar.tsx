import type { CSSProperties, ReactNode } from 'react'

/** The same name always gets the same hue. */
export const hueOf = (text: string): number => {
  let hash = 0
  for (const char of text) hash = (hash * 31 + char.codePointAt(0)!) % 360
  return hash
}

const initialsOf = (name: string): string => {
  const words = name.split(/[\s_-]+/).filter(Boolean)
  const [first = '?', second] = words
  const end = second ? ([...second][0] ?? '') : ([...first][1] ?? '')
  return (([...first][0] ?? '?') + end).toUpperCase()
}

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
