import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, type ReactNode, useEffect, useId, useMemo, useState } from 'react'
import { hasScope } from '../api/permissions'
import { Dialog } from '../components/dialog'
import { Icon, type IconName, StatusIcon } from '../components/icons'
import { useDelayed } from '../components/use-delayed'
import { itemLink } from '../item-link'
import { useShell } from '../layout/shell-context'
import { useQuery, useSetQuery } from '../query'
import { useObservable } from '../store/base/observable'
import { movedTo } from '../store/cards/task-card'
import { useConsole } from '../store/console'
import { useMe, useProjects } from '../store/records'
import { useLoaded } from '../store/use-loaded'
import { useUndoLast } from '../undo/use-undo-last'
import { applyTheme } from './theme'
import { useCurrentProject } from './use-current-project'
import '../styles/choice-list.css'
import '../styles/palette.css'

const recordsShown = 6
const minSearchLength = 2

interface Entry {
  id: string
  group: string
  title: string
  hint?: string
  icon: ReactNode
  run: () => void
}

/** Records, pages and actions, found by typing. */
export const Palette = ({ onClose }: { onClose: () => void }): ReactNode => {
  const { client, tasks, pageCommands } = useConsole()
  const projects = useProjects()
  const me = useMe()
  const projectList = projects.list
  const project = useCurrentProject()
  const ofPage = useObservable(pageCommands)
  const navigate = useNavigate()
  const setQuery = useSetQuery()
  const { task: openTask } = useQuery()
  const shell = useShell()
  const undoLast = useUndoLast()
  const [text, setText] = useState('')
  const [active, setActive] = useState(0)
  const id = useId()
  const q = useDelayed(text.trim())

  const { data: found } = useLoaded(
    async (signal): Promise<{ q: string; entries: Entry[] }> => {
      if (q.length < minSearchLength) return { q, entries: [] }
      const [foundTasks, foundItems] = await Promise.all([
        hasScope(me, 'tasks:read') ? client.tasks.search(q, { limit: recordsShown }, { signal }) : null,
        hasScope(me, 'knowledge:read') ? client.knowledge.search(q, { limit: recordsShown }, { signal }) : null,
      ])
      tasks.add(foundTasks?.data ?? [])
      const entries = [
        ...(foundTasks?.data ?? []).map((task) => ({
          id: task.id,
          group: 'Tasks',
          title: task.title,
          hint: [task.id, movedTo(projects.get(task.projectId), task.id)].filter(Boolean).join(' · '),
          icon: <StatusIcon status={task.statusCategory} />,
          run: () => setQuery({ task: task.id }),
        })),
        ...(foundItems?.data ?? []).map((item) => ({
          id: `item:${item.projectId}:${item.key}`,
          group: 'Knowledge',
          title: item.key,
          hint: projects.get(item.projectId ?? '')?.key ?? 'Shared',
          icon: <Icon name="document" size={14} />,
          run: () => void navigate(itemLink(item.key, projects.get(item.projectId ?? '')?.key) as never),
        })),
      ]
      const isTyped = ({ id, title }: Entry): boolean => title === q || id === q.toUpperCase()
      return { q, entries: entries.sort((one, other) => Number(isTyped(other)) - Number(isTyped(one))) }
    },
    ['palette', q],
  )

  const entries = useMemo(() => {
    const isAdmin = hasScope(me, 'admin')
    const seesTasks = hasScope(me, 'tasks:read')
    const page = (title: string, to: string, icon: IconName): Entry => ({
      id: `page:${to}`,
      group: 'Go to',
      title,
      icon: <Icon name={icon} size={14} />,
      run: () => void navigate({ to }),
    })
    const action = (title: string, icon: IconName, run: () => void): Entry => ({
      id: `action:${title}`,
      group: 'Actions',
      title,
      icon: <Icon name={icon} size={14} />,
      run,
    })
    const commands: Entry[] = [
      ...ofPage.map(({ title, run }) => ({ ...action(title, 'document', run), group: 'This page' })),
      ...(hasScope(me, 'tasks:write')
        ? [action('Create a task', 'plus', () => shell.createTask(project ? { projectId: project.id } : {}))]
        : []),
      ...(openTask && hasScope(me, 'tasks:write') && projectList.length > 1
        ? [action(`Move ${openTask} to project…`, 'project', () => shell.moveTask(openTask))]
        : []),
      action('Undo your last change', 'undo', () => void undoLast()),
      action('Keyboard shortcuts', 'help', shell.openHelp),
      action('Light appearance', 'sun', () => applyTheme('light')),
      action('Dark appearance', 'moon', () => applyTheme('dark')),
      action('Appearance like the system', 'sun', () => applyTheme('system')),
      page('Overview', '/', 'overview'),
      ...(seesTasks ? [page('Needs you', '/inbox', 'inbox'), page('All tasks', '/tasks', 'list')] : []),
      ...(seesTasks ? projectList : []).map((each) => page(`${each.name} board`, `/p/${each.key}/board`, 'board')),
      ...(project && seesTasks
        ? [
            page(`${project.name} list`, `/p/${project.key}/list`, 'list'),
            page(`${project.name} tree`, `/p/${project.key}/tree`, 'tree'),
            page(`${project.name} graph`, `/p/${project.key}/graph`, 'graph'),
          ]
        : []),
      ...(hasScope(me, 'knowledge:read') ? [page('Knowledge', '/k', 'book')] : []),
      page('Search', '/search', 'search'),
      page('Events', '/events', 'events'),
      page('Agents', '/agents', 'agents'),
      page('Projects', '/projects', 'project'),
      page('People', '/people', 'user'),
      ...(isAdmin
        ? [page('Keys', '/keys', 'key'), page('Webhooks', '/webhooks', 'webhook'), page('Audit', '/audit', 'history')]
        : []),
      page('Usage', '/usage', 'usage'),
      page('Trash', '/trash', 'trash'),
    ]
    const wanted = text.trim().toLowerCase()
    const matching = wanted ? commands.filter(({ title }) => title.toLowerCase().includes(wanted)) : commands
    const direct = text.trim().toUpperCase()
    // What an older text found is no answer to what is typed now.
    const hits = found?.q === text.trim() ? found.entries : []
    const isId = /^[A-Z][A-Z0-9]{1,9}-\d+$/.test(direct) && !hits.some((entry) => entry.id === direct)
    return [
      ...(isId
        ? [
            {
              id: direct,
              group: 'Tasks',
              title: `Open ${direct}`,
              icon: <Icon name="board" size={14} />,
              run: () => setQuery({ task: direct }),
            },
          ]
        : []),
      ...hits,
      ...matching,
      ...(wanted
        ? [
            {
              id: 'search',
              group: 'Search',
              title: `Search everything for “${text.trim()}”`,
              icon: <Icon name="search" size={14} />,
              run: () => void navigate({ to: '/search', search: { q: text.trim() } as never }),
            },
          ]
        : []),
    ] as Entry[]
  }, [me, projectList, project, ofPage, openTask, found, text, navigate, setQuery, shell, undoLast])

  const at = Math.min(active, entries.length - 1)
  useEffect(() => {
    document.getElementById(`${id}-${at}`)?.scrollIntoView({ block: 'nearest' })
  }, [at, id])

  const choose = (entry: Entry | undefined): void => {
    if (!entry) return
    onClose()
    // After the dialog has given the focus back.
    setTimeout(entry.run)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) setActive((at + step + entries.length) % entries.length)
    else if (event.key === 'Enter') choose(entries[at])
    else return
    event.preventDefault()
  }

  return (
    <Dialog title="Search and commands" onClose={onClose} className="palette" bare>
      <input
        className="palette-input"
        role="combobox"
        aria-label="Search and commands"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={`${id}-${at}`}
        placeholder="Search tasks, knowledge, pages and commands"
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setActive(0)
        }}
        onKeyDown={onKeyDown}
      />
      <div className="palette-list" role="listbox" id={`${id}-list`} aria-label="Results">
        {entries.map((entry, index) => (
          <div key={entry.id} role="presentation">
            {entry.group !== entries[index - 1]?.group && (
              <div className="palette-group" role="presentation">
                {entry.group}
              </div>
            )}
            {/* biome-ignore lint/a11y/useKeyWithClickEvents: the input has the keyboard's focus */}
            {/* biome-ignore lint/a11y/useFocusableInteractive: the input has the keyboard's focus */}
            <div
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === at}
              data-active={index === at}
              className="option"
              onMouseMove={() => setActive(index)}
              onClick={() => choose(entry)}
            >
              {entry.icon}
              <span className="truncate">{entry.title}</span>
              {entry.hint && <span className="muted">{entry.hint}</span>}
            </div>
          </div>
        ))}
      </div>
    </Dialog>
  )
}
