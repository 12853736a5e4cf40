import { type ReactNode, useId, useState } from 'react'
import { Button } from '../components/button'
import { numberText } from '../components/count'

/** Hits of each kind before “show more”, so that every kind is on the first screen. */
const shownAtFirst = 5

interface HitGroupProps<T> {
  title: string
  hits: readonly T[]
  /** Where nothing else was found, all are shown. */
  isAlone: boolean
  children: (hit: T) => ReactNode
}

export const HitGroup = <T,>({ title, hits, isAlone, children }: HitGroupProps<T>): ReactNode => {
  const [showsAll, setShowsAll] = useState(false)
  const id = useId()
  if (hits.length === 0) return null
  const shown = isAlone || showsAll ? hits : hits.slice(0, shownAtFirst)
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className="result-head">
        {title} <span className="muted num">{numberText(hits.length)}</span>
      </h2>
      <ul className="hits">{shown.map(children)}</ul>
      {shown.length < hits.length && (
        <Button kind="quiet" small onClick={() => setShowsAll(true)}>
          Show all {numberText(hits.length)} in {title}
        </Button>
      )}
    </section>
  )
}
