import { type ReactNode, useMemo } from 'react'
import type { Project } from 'worklore-client'
import { hasScope } from '../api/permissions'
import { numberText } from '../components/count'
import { StatusIcon } from '../components/icons'
import { VirtualRows } from '../components/virtual-rows'
import { useQuery } from '../query'
import { useConsole } from '../store/console'
import { useObservable } from '../store/observable'
import { type Status, statuses, statusNames, type TaskCard } from '../store/task-card'
import { ProjectPage } from '../tasks/views/project-page'
import { TaskRow } from '../tasks/views/task-row'
import { useRowKeys } from '../tasks/views/use-row-keys'
import '../styles/list.css'

type Row = { status: Status; count: number } | TaskCard

const isHead = (row: Row): row is { status: Status; count: number } => 'count' in row
const begun: Status[] = ['in_progress', 'in_review']
/** Work that has begun comes first. */
const order = [...begun, ...statuses.filter((status) => !begun.includes(status))]

const rowsOf = (cards: readonly TaskCard[]): Row[] =>
  order.flatMap((status): Row[] => {
    const group = cards.filter((card) => card.status === status)
    return group.length === 0 ? [] : [{ status, count: group.length }, ...group]
  })

const List = ({ project, cards }: { project: Project; cards: readonly TaskCard[] }): ReactNode => {
  const { me } = useConsole()
  const canWrite = hasScope(useObservable(me), 'tasks:write')
  const { task: openTask } = useQuery()
  const rows = useMemo(() => rowsOf(cards), [cards])
  const ids = useMemo(() => rows.flatMap((row) => (isHead(row) ? [] : [row.id])), [rows])
  const selected = useRowKeys(ids, canWrite)
  return (
    <VirtualRows
      label="Tasks"
      rows={rows}
      keyOf={(row) => (isHead(row) ? row.status : row.id)}
      rowPx={38}
      selected={selected}
    >
      {(row) =>
        isHead(row) ? (
          <div className="group-head">
            <StatusIcon status={row.status} />
            <h2>{statusNames[row.status]}</h2>
            <span className="muted num">{numberText(row.count)}</span>
          </div>
        ) : (
          <TaskRow
            card={row}
            isSelected={row.id === selected}
            isOpen={row.id === openTask}
            canWrite={canWrite}
            maxAttempts={project.maxAttempts}
          />
        )
      }
    </VirtualRows>
  )
}

export const ListPage = (): ReactNode => <ProjectPage view="list" component={List} />
