import { createContext, type MouseEvent, type ReactNode, Suspense, useContext } from 'react'
import { onDemand } from '../../components/on-demand'
import { useKeys } from '../../keyboard/use-keys'
import { useQuery } from '../../query'
import { useObservable } from '../../store/base/observable'
import { useIsSelected, useSelection } from './selection'

const BulkBar = onDemand(() => import('./bulk-bar'))

/** Keys that select tasks, around the one that the keyboard is on. */
export const useSelectionKeys = (current: string | null): void => {
  const selection = useSelection()
  const isSelecting = useObservable(selection.ids) !== null
  const { task: openTask } = useQuery()
  useKeys(
    {
      ...(current && { x: () => selection.toggle(current), 'Shift+x': () => selection.extendTo(current) }),
      'Shift+a': selection.selectAll,
      ...(isSelecting && { Escape: selection.end }),
    },
    // Keys act on the open task.
    !openTask,
  )
}

/** For the rows of a view, so that each subscribes to nothing of its own. */
const IsSelecting = createContext(false)

/** A view whose tasks can be selected, with what can be done to those that are. */
export const SelectionArea = ({ children }: { children: ReactNode }): ReactNode => {
  const selection = useSelection()
  const isSelecting = useObservable(selection.ids) !== null
  const taskOf = ({ shiftKey, target }: MouseEvent): string | undefined => {
    // A checkbox follows its own changes.
    if (!shiftKey || (target as Element).closest('.select-box')) return undefined
    return (target as Element).closest<HTMLElement>('[data-card]')?.dataset.card
  }
  return (
    <>
      <div
        style={{ display: 'contents' }}
        onMouseDownCapture={(event) => {
          // Would select text.
          if (taskOf(event)) event.preventDefault()
        }}
        onClickCapture={(event) => {
          const id = taskOf(event)
          if (!id) return
          event.preventDefault()
          event.stopPropagation()
          selection.extendTo(id)
        }}
      >
        <IsSelecting value={isSelecting}>{children}</IsSelecting>
      </div>
      <Suspense>{isSelecting && <BulkBar />}</Suspense>
    </>
  )
}

interface CheckBoxProps {
  id: string
  name?: string
  isDisabled?: boolean
}

export const CheckBox = ({ id, name = id, isDisabled = false }: CheckBoxProps): ReactNode => {
  const selection = useSelection()
  return (
    <label className="select-box">
      <input
        type="checkbox"
        aria-label={`Select ${name}`}
        checked={useIsSelected(id)}
        disabled={isDisabled}
        onChange={({ nativeEvent }) =>
          (nativeEvent as PointerEvent).shiftKey ? selection.extendTo(id) : selection.toggle(id)
        }
      />
    </label>
  )
}

/** Selects a task; there only while tasks are being selected. */
export const SelectBox = ({ id }: { id: string }): ReactNode => useContext(IsSelecting) && <CheckBox id={id} />
