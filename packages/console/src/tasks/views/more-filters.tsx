import { type ReactNode, useState } from 'react'
import type { Project } from 'worklore-client'
import { actorOf, type Users } from '../../api/actor'
import { Button } from '../../components/button'
import { Icon, type IconName } from '../../components/icons'
import { type Choice, Picker, PickerText } from '../../components/menu'
import { useSetQuery } from '../../query'
import { useObservable } from '../../store/base/observable'
import { allProjects } from '../../store/cards/card-cache'
import type { Sort, TaskCard } from '../../store/cards/task-card'
import { useConsole } from '../../store/console'
import { useKeyRecords, useMe, useProjects, useUsers } from '../../store/records'
import { isLive } from '../claim-mark'
import { type Column, columnNames, columnsIn, defaultColumns } from '../filters/columns'
import { type Lanes, laneNames, lanesIn } from '../filters/lanes'
import { type checkStates, type FilterName, isFiltered, noFilter, type states, workerValue } from '../filters/matcher'
import { useFilterPicker } from '../filters/use-filter-picker'
import { useSort } from '../filters/use-filtered'
import { useKnownQuery } from '../filters/use-known-query'
import { useSelection } from '../selection/selection'
import '../../styles/view-tools.css'

const stateNames: Record<keyof typeof states, string> = {
  ready: 'Ready',
  blocked: 'Blocked',
  claimed: 'Held by an agent',
  silent: 'Silent',
  overdue: 'Overdue',
  exhausted: 'Exhausted',
  stale: 'Stale',
  asking: 'Waiting for an answer',
}
const checkNames: Record<keyof typeof checkStates, string> = {
  open: 'Open checks',
  failed: 'Failed checks',
  met: 'All passed or waived',
  none: 'No checks',
}
const ageNames: Record<string, string> = {
  'under-1d': 'Less than a day old',
  'under-7d': 'Less than 7 days old',
  'over-1d': 'More than a day old',
  'over-7d': 'More than 7 days old',
  'over-30d': 'More than 30 days old',
}
const sortNames: Record<Sort, string> = {
  priority: 'Priority',
  rank: 'Manual order',
  dueDate: 'Due date',
  updatedAt: 'Last updated',
  createdAt: 'Newest',
  title: 'Title',
  assignee: 'Assignee',
  attempts: 'Attempts',
}

const choicesOf = <T extends string>(names: Record<T, string>): Choice<T>[] =>
  (Object.keys(names) as T[]).map((value) => ({ value, label: names[value] }))

/** Distinct values of cards as choices, by name. */
const choicesIn = (
  cards: readonly TaskCard[],
  users: Users,
  choiceOf: (card: TaskCard, users: Users) => Choice<string> | null,
): Choice<string>[] => {
  const found = new Map(cards.flatMap((card) => choiceOf(card, users) ?? []).map((choice) => [choice.value, choice]))
  return [...found.values()].sort((a, b) => a.label.localeCompare(b.label))
}

const holderOf = ({ claim }: TaskCard, users: Users): Choice<string> | null =>
  isLive(claim, Date.now()) ? { value: claim.keyId, label: actorOf(users, claim).name } : null

const workerOf = ({ claim }: TaskCard, users: Users): Choice<string> | null =>
  isLive(claim, Date.now()) && claim.worker
    ? { value: workerValue(claim.worker), label: claim.worker, hint: actorOf(users, claim).name }
    : null

/** Keys that may have created tasks: an admin can list all, others know their own. */
const useCreators = (isNeeded: boolean): Choice<string>[] => {
  const keys = useKeyRecords(isNeeded)
  const me = useMe()
  return [
    { value: 'me', label: 'Me' },
    ...keys.list.filter(({ id }) => id !== me.key.id).map(({ id, name }) => ({ value: id, label: name })),
  ]
}

type ExtraFilter = Extract<FilterName, 'createdBy' | 'holder' | 'worker' | 'age' | 'checks' | 'parent'>

const extraNames: Record<ExtraFilter, [name: string, icon: IconName]> = {
  createdBy: ['Created by', 'edit'],
  holder: ['Holder', 'agents'],
  worker: ['Worker', 'agents'],
  age: ['Age', 'history'],
  checks: ['Checks', 'check'],
  parent: ['Parent', 'subtasks'],
}

/** Filters that not every view needs, how it is laid out, and selecting; loaded after the page. */
const MoreFilters = ({ project, view }: { project: Project | undefined; view: string }): ReactNode => {
  const { tasks } = useConsole()
  const projects = useProjects()
  const users = useUsers()
  const query = useKnownQuery()
  const setQuery = useSetQuery()
  const { filterOf, countText } = useFilterPicker()
  const [added, setAdded] = useState<readonly ExtraFilter[]>([])
  const selection = useSelection()
  const isSelecting = useObservable(selection.ids) !== null
  const projectList = projects.list
  const sort = useSort(view, project !== undefined)
  const cards = (): readonly TaskCard[] => tasks.cardsOf(project?.id ?? allProjects)
  const parentOf = ({ parentId }: TaskCard): Choice<string> | null =>
    parentId === null ? null : { value: parentId, label: `${parentId} ${tasks.card(parentId)?.title ?? ''}` }
  const all = Object.keys(extraNames) as ExtraFilter[]
  const shown = all.filter((name) => query[name] || added.includes(name))
  const creators = useCreators(shown.includes('createdBy'))
  const choices: Record<ExtraFilter, () => Choice<string>[]> = {
    createdBy: () => creators,
    holder: () => [{ value: 'none', label: 'Nobody' }, ...choicesIn(cards(), users, holderOf)],
    worker: () => choicesIn(cards(), users, workerOf),
    age: () => choicesOf(ageNames),
    checks: () => choicesOf(checkNames),
    parent: () => [{ value: 'none', label: 'No parent' }, ...choicesIn(cards(), users, parentOf)],
  }
  const columns = columnsIn(query)
  const lanes = lanesIn(query)
  const isReversed = query.sort?.startsWith('-') ?? false
  const setSort = (value: Sort, reversed: boolean): void =>
    setQuery(
      { sort: value === 'priority' && !reversed ? undefined : `${reversed ? '-' : ''}${value}` },
      { replace: true },
    )
  const toggleColumn = (column: Column): void => {
    const next = columns.includes(column) ? columns.filter((each) => each !== column) : [...columns, column]
    const text = (Object.keys(columnNames) as Column[]).filter((each) => next.includes(each)).join()
    setQuery({ columns: text === defaultColumns.join() ? undefined : text || 'none' }, { replace: true })
  }

  return (
    <>
      <Picker label="State" choices={choicesOf(stateNames)} {...filterOf('state')}>
        <Icon name="alert" size={14} />
        <PickerText>State</PickerText>
        {countText('state')}
      </Picker>
      {!project && (
        <Picker
          label="Project"
          choices={projectList.map(({ key, name }) => ({ value: key, label: name, hint: key }))}
          {...filterOf('project')}
        >
          <Icon name="project" size={14} />
          <PickerText>Project</PickerText>
          {countText('project')}
        </Picker>
      )}
      {shown.map((name) => (
        <Picker
          key={name}
          label={extraNames[name][0]}
          choices={choices[name]}
          isOpenAtFirst={added.includes(name) && !query[name]}
          {...filterOf(name)}
        >
          <Icon name={extraNames[name][1]} size={14} />
          <PickerText>{extraNames[name][0]}</PickerText>
          {countText(name)}
        </Picker>
      ))}
      {shown.length < all.length && (
        <Picker
          label="More filters"
          choices={all
            .filter((name) => !shown.includes(name))
            .map((value) => ({
              value,
              label: extraNames[value][0],
              icon: <Icon name={extraNames[value][1]} size={14} />,
            }))}
          selected={[]}
          onChoose={(name) => setAdded((value) => [...value, name])}
          className="bordered"
        >
          <Icon name="plus" size={14} />
          <PickerText>Filter</PickerText>
        </Picker>
      )}
      <div className="view-tools">
        {isFiltered(query) && (
          <Button kind="quiet" small onClick={() => setQuery(noFilter)}>
            Clear
          </Button>
        )}
        {(view === 'list' || view === 'tree') && (
          <Picker
            label={`Sort: ${sortNames[sort]}`}
            choices={choicesOf(sortNames).filter(({ value }) => project || value !== 'rank')}
            selected={[sort]}
            onChoose={(value) => setSort(value, value === sort && !isReversed)}
            isSet={sort !== 'priority' || isReversed}
            className="bordered"
          >
            <Icon name={isReversed ? 'up' : 'list'} size={14} />
            <PickerText>Sort: {sortNames[sort]}</PickerText>
          </Picker>
        )}
        {view === 'list' && (
          <Picker
            label="Columns"
            choices={choicesOf(columnNames)}
            selected={columns}
            onChoose={toggleColumn}
            isSet={query.columns !== undefined}
            isMultiple
            className="bordered"
          >
            <Icon name="board" size={14} />
            <PickerText>Columns</PickerText>
          </Picker>
        )}
        {view === 'board' && (
          <Picker<Lanes | ''>
            label="Swimlanes"
            choices={[{ value: '', label: 'None' }, ...choicesOf(laneNames)]}
            selected={[lanes ?? '']}
            onChoose={(value) => setQuery({ lanes: value || undefined }, { replace: true })}
            isSet={lanes !== null}
            className="bordered"
          >
            <Icon name="menu" size={14} />
            <PickerText>{lanes ? `By ${laneNames[lanes].toLowerCase()}` : 'Swimlanes'}</PickerText>
          </Picker>
        )}
        {view !== 'graph' && (
          <Button small aria-pressed={isSelecting} onClick={isSelecting ? selection.end : selection.start}>
            Select
          </Button>
        )}
      </div>
    </>
  )
}

export default MoreFilters
