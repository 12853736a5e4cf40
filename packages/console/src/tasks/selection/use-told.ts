import { useCallback, useEffect, useRef, useState } from 'react'
import { countOf } from '../../components/count'
import { useConsole } from '../../store/console'
import type { UndoEntry } from '../../store/undo-stack'
import { claimAgainText, type HeldTask } from '../end-claims'
import { undoEntry } from '../use-undo-last'
import type { Outcome, Refusal } from './run-bulk'

/** What could not be done, to be shown record by record. */
export interface Refused {
  title: string
  refusals: readonly Refusal[]
}

/** Says what came of a change of many records, and offers to undo all of it. */
export const useTold = () => {
  const console = useConsole()
  const { toasts, undo } = console
  const [refused, setRefused] = useState<Refused | null>(null)
  const isMounted = useRef(false)
  useEffect(() => {
    isMounted.current = true
    return () => {
      isMounted.current = false
    }
  }, [])
  const tell = useCallback(
    (outcome: Outcome, what: string, noun: string, ended: readonly HeldTask[] = []): void => {
      const { done, refused: refusals, undo: takeBack } = outcome
      if (refusals.length > 0) setRefused({ title: `${countOf(refusals.length, noun)} not changed`, refusals })
      if (done.length === 0) return
      const text = `${countOf(done.length, noun)}: ${what}`
      if (!takeBack) {
        undo.push({ what: text, run: null })
        toasts.info(text)
        return
      }
      const entry: UndoEntry = {
        what: text,
        ...(ended.length > 0 && { note: claimAgainText(console, ended) }),
        run: async (): Promise<void> => {
          const left = await takeBack()
          const title = `${countOf(left.length, noun)} not put back`
          if (left.length === 0) return
          if (isMounted.current) setRefused({ title, refusals: left })
          else toasts.error(`${title}. ${left[0]!.id}: ${left[0]!.reason}`)
        },
      }
      undo.push(entry)
      const run = async (): Promise<void> => {
        undo.remove(entry)
        await undoEntry(console, entry)
      }
      entry.onTaken = toasts.info(text, { label: 'Undo', run: () => void run() })
    },
    [console, toasts, undo],
  )
  return { refused, tell, dismiss: () => setRefused(null) }
}
