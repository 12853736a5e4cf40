import { useCallback, useEffect, useRef, useState } from 'react'
import { countOf } from '../../components/count'
import { useConsole } from '../../store/console'
import { conflictText, runUndo } from '../../undo/undo-request'
import { tellUndoable } from '../../undo/use-undo-last'
import { claimAgainText, type HeldTask } from '../end-claims'
import type { Outcome, Refusal } from './run-bulk'

/** What could not be done, to be shown record by record. */
export interface Refused {
  title: string
  refusals: readonly Refusal[]
}

/** Says what came of a change of many records, and offers to undo all of it. */
export const useTold = () => {
  const console = useConsole()
  const [refused, setRefused] = useState<Refused | null>(null)
  const isMounted = useRef(false)
  useEffect(() => {
    isMounted.current = true
    return () => {
      isMounted.current = false
    }
  }, [])
  const tell = useCallback(
    (
      { done, refused, requestId }: Outcome,
      what: string,
      noun: string,
      { ended = [], isFinal = false }: { ended?: readonly HeldTask[]; isFinal?: boolean } = {},
    ): void => {
      if (refused.length > 0) setRefused({ title: `${countOf(refused.length, noun)} not changed`, refusals: refused })
      if (done.length === 0) return
      const takeBack = async (): Promise<boolean> => {
        const { undone, conflicts } = await runUndo(console.client, { requestId, dryRun: false })
        const left = conflicts.map((conflict) => ({ id: conflict.task ?? '', reason: conflictText(console, conflict) }))
        if (left.length > 0) {
          const title = `${countOf(left.length, noun)} not put back`
          if (isMounted.current) setRefused({ title, refusals: left })
          else console.toasts.error(`${title}. ${left[0]!.id}: ${left[0]!.reason}`)
        }
        return undone.length + left.length > 0
      }
      tellUndoable(console, {
        what: `${countOf(done.length, noun)}: ${what}`,
        ...(ended.length > 0 && { note: claimAgainText(console, ended) }),
        run: isFinal ? null : takeBack,
      })
    },
    [console],
  )
  return { refused, tell, dismiss: () => setRefused(null) }
}
