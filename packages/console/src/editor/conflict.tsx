import { type ReactNode, Suspense } from 'react'
import { Diff } from '../components/diff/diff'
import { Icon } from '../components/icons'
import { onDemand } from '../components/on-demand'
import type { DraftEditing } from './use-draft'

const Overlaps = onDemand(() => import('./overlaps').then(({ Overlaps }) => ({ default: Overlaps })))

interface ConflictProps {
  draft: DraftEditing
  /** Who saved the newer text. */
  who: string
  /** The text is a single line. */
  isLine?: boolean
}

/** Shown while someone else's newer text and the one being edited overlap, or once it was merged into this one. */
export const Conflict = ({ draft, who, isLine = false }: ConflictProps): ReactNode => {
  if (draft.theirs) {
    return (
      <Suspense>
        <Overlaps draft={draft} theirs={draft.theirs} who={who} isLine={isLine} />
      </Suspense>
    )
  }
  return (
    draft.merged && (
      <section className="conflict" aria-label="Merged">
        <div className="notice blue" role="status">
          <Icon name="check" />
          <span>
            {who} saved version {draft.merged.after.version} while you were editing. It is merged into your text: check
            it, then save.
          </span>
        </div>
        <details>
          <summary>Show what came in</summary>
          <Diff
            before={draft.merged.before.text}
            after={draft.merged.after.text}
            label="What others changed meanwhile"
          />
        </details>
      </section>
    )
  )
}
