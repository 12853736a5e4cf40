import { type ReactNode, useMemo } from 'react'
import type { Project } from 'worklore-client'
import { hasScope } from '../api/permissions'
import { numberText } from '../components/count'
import { StatusIcon } from '../components/icons'
import { VirtualRows } from '../components/virtual/virtual-rows'
import { useQuery } from '../query'
import { useObservable } from '../store/base/observable'
import { type ProjectStatus, statusesOf, statusIn } from '../store/cards/statuses'
import type { TaskCard } from '../store/cards/task-card'
import { useConsole } from '../store/console'
import { useProjects } from '../store/records'
import { columnsIn } from '../tasks/filters/columns'
import { useSort } from '../tasks/filters/use-filtered'
import { ListHead } from '../tasks/views/list-head'
import { ProjectPage, type ViewProps } from '../tasks/views/project-page'
import { TaskRow } from '../tasks/views/task-row'
import { useRowKeys } from '../tasks/views/use-row-keys'
import '../styles/list.css'

type Head = ProjectStatus & { count: number }
type Row = Head | TaskCard

const isHead = (row: Row): row is Head => 'count' in row
const isBegun = ({ category }: ProjectStatus): boolean => category === 'in_progress' || category === 'in_review'

/** Work that has begun comes first. */
const rowsOf = (cards: readonly TaskCard[], project: Project | undefined): Row[] => {
  const statuses = statusesOf(project)
  const groups = new Map<ProjectStatus, TaskCard[]>(statuses.map((each) => [each, []]))
  for (const card of cards) groups.get(statusIn(project, card.status, card.statusCategory))!.push(card)
  return [...statuses.filter(isBegun), ...statuses.filter((each) => !isBegun(each))].flatMap((each): Row[] => {
    const group = groups.get(each)!
    return group.length === 0 ? [] : [{ ...each, count: group.length }, ...group]
  })
}

const List = ({ project, cards }: ViewProps): ReactNode => {
  const { me } = useConsole()
  const projects = useProjects()
  const canWrite = hasScope(useObservable(me), 'tasks:write')
  const { task: openTask, columns: columnText } = useQuery()
  const columns = useMemo(() => columnsIn({ columns: columnText }), [columnText])
  const rows = useMemo(() => rowsOf(cards, project), [cards, project])
  const ids = useMemo(() => rows.flatMap((row) => (isHead(row) ? [] : [row.id])), [rows])
  const isRanked = useSort('list', project !== undefined) === 'rank'
  /** Tasks of the same status. */
  const groupOf = (id: string): string[] => {
    const at = rows.findIndex((row) => !isHead(row) && row.id === id)
    const head = rows.findLast((row, index) => index < at && isHead(row))
    const first = head ? rows.indexOf(head) + 1 : at
    const count = head && isHead(head) ? head.count : 0
    return rows.slice(first, first + count).flatMap((row) => (isHead(row) ? [] : [row.id]))
  }
  const selected = useRowKeys(ids, canWrite, {}, isRanked ? groupOf : null)
  return (
    <>
      <ListHead columns={columns} />
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
              <StatusIcon status={row.category} />
              <h2>{row.name}</h2>
              <span className="muted num">{numberText(row.count)}</span>
            </div>
          ) : (
            <TaskRow
              card={row}
              isSelected={row.id === selected}
              isOpen={row.id === openTask}
              canWrite={canWrite}
              maxAttempts={projects.get(row.projectId)?.maxAttempts ?? Infinity}
              columns={columns}
              isGrouped
            />
          )
        }
      </VirtualRows>
    </>
  )
}

export const ListPage = (): ReactNode => <ProjectPage view="list" component={List} />
