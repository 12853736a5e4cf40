import type { ReactNode } from 'react'
import { Button } from '../components/button'
import { Diff } from '../components/diff'
import { Icon } from '../components/icons'
import type { DraftEditing } from './use-draft'

/** Shown while someone else's newer text and the one being edited differ. */
export const Conflict = ({ draft, who }: { draft: DraftEditing; who: string }): ReactNode =>
  draft.theirs && (
    <section className="conflict" aria-label="Conflict">
      <div className="notice" role="alert">
        <Icon name="alert" />
        <span>
          {who} saved version {draft.theirs.version} while you were editing version {draft.base.version}.
        </span>
        <Button small onClick={draft.takeTheirs}>
          Take theirs
        </Button>
        <Button small onClick={() => void draft.keepMine()} disabled={draft.isSaving}>
          Keep mine
        </Button>
      </div>
      <Diff before={draft.theirs.text} after={draft.text} label="Their text compared with yours" />
    </section>
  )
