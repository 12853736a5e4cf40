import type { ReactNode } from 'react'
import { Button } from '../components/button'
import type { DraftEditing } from './use-draft'

/** Says that the text is a draft from before, until the text of others is shown beside it. */
export const RestoredDraft = ({ draft }: { draft: DraftEditing }): ReactNode =>
  draft.isRestored &&
  !draft.theirs &&
  !draft.merged && (
    <div className="notice blue">
      <span>Your unsaved draft was restored.</span>
      <Button small onClick={draft.discard}>
        Discard
      </Button>
    </div>
  )
