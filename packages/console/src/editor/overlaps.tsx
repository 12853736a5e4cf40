import { diffWordsWithSpace } from 'diff'
import { type ReactNode, useMemo, useState } from 'react'
import { Button } from '../components/button'
import { countOf } from '../components/count'
import { Icon } from '../components/icons'
import { type Choice, isOverlap, type Overlap } from './merge'
import type { DraftEditing, Theirs } from './use-draft'
import '../styles/overlaps.css'
import '../styles/radio.css'

/** Of texts that differ in more words, only the newer one is shown. */
const maxEdits = 500

/** A text with the words marked that were added and removed. */
const Words = ({ before, after }: { before: string; after: string }): ReactNode => {
  const changes = useMemo(() => diffWordsWithSpace(before, after, { maxEditLength: maxEdits }), [before, after])
  if (!changes) return after
  return changes.map(({ added, removed, value }, index) => {
    const Tag = added ? 'ins' : removed ? 'del' : 'span'
    // biome-ignore lint/suspicious/noArrayIndexKey: words have no identity but their place
    return <Tag key={index}>{value}</Tag>
  })
}

const Side = ({ name, before, after }: { name: string; before: string[]; after: string[] }): ReactNode => (
  <figure className="overlap-side">
    <figcaption>{name}</figcaption>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long texts scroll, and the keyboard must reach them */}
    <div className="overlap-text" tabIndex={0} role="group" aria-label={`Text of ${name}`}>
      {before.length > 0 && after.length === 0 && <p className="muted">Removed:</p>}
      <Words before={before.join('\n')} after={after.join('\n')} />
    </div>
  </figure>
)

const choices: [choice: Choice, name: string][] = [
  ['theirs', 'Theirs'],
  ['mine', 'Mine'],
  ['both', 'Both'],
]

/** Overlaps are told apart by what they say, since their places move while the text is edited. */
const keyOf = ({ base, mine, theirs }: Overlap): string => JSON.stringify([base, mine, theirs])

interface OverlapsProps {
  draft: DraftEditing
  theirs: Theirs
  who: string
  isLine: boolean
}

/** The places that two people changed, each with both texts and what to keep. */
export const Overlaps = ({ draft, theirs, who, isLine }: OverlapsProps): ReactNode => {
  const [chosen, setChosen] = useState<ReadonlyMap<string, Choice>>(new Map())
  const overlaps = theirs.parts.filter(isOverlap)
  const isOne = overlaps.length === 1
  const choiceOf = (index: number): Choice | undefined => chosen.get(keyOf(overlaps[index]!))
  const open = overlaps.filter((overlap) => !chosen.has(keyOf(overlap))).length
  return (
    <section className="conflict" aria-label="Conflict">
      <div className="notice" role="alert">
        <Icon name="alert" />
        <span>
          {who} saved version {theirs.version} while you were editing version {draft.base.version}.{' '}
          {isLine
            ? 'You both changed it.'
            : `You both changed the same lines${isOne ? '' : ` in ${overlaps.length} places`}. Everything else is merged.`}
        </span>
        <Button small onClick={() => draft.resolve(() => 'theirs')}>
          Take theirs
        </Button>
        <Button small onClick={() => void draft.keepMine()} disabled={draft.isSaving}>
          Keep mine
        </Button>
        {isOne && !isLine && (
          <Button small onClick={() => draft.resolve(() => 'both')}>
            Use both
          </Button>
        )}
      </div>
      {overlaps.map((overlap, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two overlaps may say the same
        <fieldset key={index} className="overlap">
          <legend className="visually-hidden">
            Place {index + 1} of {overlaps.length}
          </legend>
          <div className="overlap-sides">
            <Side name={who} before={overlap.base} after={overlap.theirs} />
            <Side name="You" before={overlap.base} after={overlap.mine} />
          </div>
          {!isOne && (
            <div className="overlap-choices">
              {choices.map(([choice, name]) => (
                <label key={choice} className="check radio">
                  <input
                    type="radio"
                    name={`overlap-${index}`}
                    checked={choiceOf(index) === choice}
                    onChange={() => setChosen((value) => new Map(value).set(keyOf(overlap), choice))}
                  />
                  <span>{name}</span>
                </label>
              ))}
            </div>
          )}
        </fieldset>
      ))}
      {!isOne && (
        <div className="overlap-foot">
          <span className="muted" role="status">
            {open > 0 ? `${countOf(open, 'place')} left to choose` : 'All chosen'}
          </span>
          <Button small kind="primary" disabled={open > 0} onClick={() => draft.resolve((index) => choiceOf(index)!)}>
            Merge as chosen
          </Button>
        </div>
      )}
    </section>
  )
}
