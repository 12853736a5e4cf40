import { Outlet, useNavigate, useRouterState } from '@tanstack/react-router'
import { type ReactNode, Suspense, useMemo, useState } from 'react'
import { hasScope } from '../api/permissions'
import { onDemand } from '../components/on-demand'
import { Toasts } from '../components/toasts'
import { useKeys } from '../keyboard/use-keys'
import { type NewTask, type ShellActions, ShellContext } from '../layout/shell-context'
import { useSettled } from '../layout/use-settled'
import { useQuery, useSetQuery } from '../query'
import { useConsole } from '../store/console'
import { useObservable } from '../store/observable'
import { useUndoLast } from '../tasks/use-undo-last'
import { Sidebar, TabBar } from './sidebar'
import { useCurrentProject } from './use-current-project'

const TaskDrawer = onDemand(() => import('../tasks/drawer/drawer').then(({ TaskDrawer }) => ({ default: TaskDrawer })))
const ShortcutsDialog = onDemand(() =>
  import('../keyboard/shortcuts').then(({ ShortcutsDialog }) => ({ default: ShortcutsDialog })),
)
const Palette = onDemand(() => import('./palette').then(({ Palette }) => ({ default: Palette })))
const CreateTask = onDemand(() => import('../tasks/create-task').then(({ CreateTask }) => ({ default: CreateTask })))
const AssignDialog = onDemand(() =>
  import('../tasks/assign-dialog').then(({ AssignDialog }) => ({ default: AssignDialog })),
)

const MoveTask = onDemand(() => import('../tasks/move-task').then(({ MoveTask }) => ({ default: MoveTask })))

const Nothing = (): null => null
const InboxWatch = onDemand(() =>
  import('../inbox/watch').then(
    ({ InboxWatch }) => ({ default: InboxWatch }),
    // The connection was lost in the midst of it; what is on the screen stays.
    () => ({ default: Nothing }),
  ),
)
type Overlay =
  | { is: 'palette' }
  | { is: 'help' }
  | { is: 'create'; preset: NewTask }
  | { is: 'assign' | 'move'; taskId: string }

export const Shell = (): ReactNode => {
  const { me: meNow } = useConsole()
  const me = useObservable(meNow)
  const [isMenuOpen, setIsMenuOpen] = useState(false)
  const isSettled = useSettled()
  const [overlay, setOverlay] = useState<Overlay | null>(null)
  const navigate = useNavigate()
  const { task } = useQuery()
  const setQuery = useSetQuery()
  const project = useCurrentProject()
  const undoLast = useUndoLast()
  const canWriteTasks = hasScope(me, 'tasks:write')
  // The sidebar marks the page by its path.
  const pathname = useRouterState({ select: (state) => state.location.pathname })
  const createsItems = /^(\/console)?\/k(\/|$)/.test(pathname)

  const shell = useMemo(
    (): ShellActions => ({
      openMenu: () => setIsMenuOpen(true),
      openPalette: () => setOverlay({ is: 'palette' }),
      openHelp: () => setOverlay({ is: 'help' }),
      createTask: (preset = {}) => setOverlay({ is: 'create', preset }),
      assign: (taskId) => setOverlay({ is: 'assign', taskId }),
      moveTask: (taskId) => setOverlay({ is: 'move', taskId }),
    }),
    [],
  )

  const goToProject = (view: string): void => {
    if (project) void navigate({ to: `/p/${project.key}/${view}` })
    else void navigate({ to: '/projects' })
  }

  // Replaces the entry, so that going back does not open the task again.
  const closeTask = (): void => setQuery({ task: undefined, edit: undefined }, { replace: true })

  useKeys({
    'Mod+k': shell.openPalette,
    '?': shell.openHelp,
    'g o': () => void navigate({ to: '/' }),
    'g i': () => void navigate({ to: '/inbox' }),
    'g b': () => goToProject('board'),
    'g l': () => goToProject('list'),
    'g t': () => goToProject('tree'),
    'g k': () => void navigate({ to: '/k' }),
    'g e': () => void navigate({ to: '/events' }),
    'g s': () => void navigate({ to: '/search' }),
    u: () => void undoLast(),
    ...(canWriteTasks && !createsItems && { c: () => shell.createTask(project ? { projectId: project.id } : {}) }),
    ...(canWriteTasks && task && { a: () => shell.assign(task) }),
    ...(task && { Escape: closeTask }),
  })

  const close = (): void => setOverlay(null)
  return (
    <ShellContext value={shell}>
      <div className="shell">
        <a className="skip-link" href="#main">
          Skip to the content
        </a>
        <Sidebar isOpen={isMenuOpen} onClose={() => setIsMenuOpen(false)} />
        {isMenuOpen && (
          // biome-ignore lint/a11y/noStaticElementInteractions: a second way to close the menu; Escape is one too
          // biome-ignore lint/a11y/useKeyWithClickEvents: as above
          <div className="sidebar-scrim" onClick={() => setIsMenuOpen(false)} />
        )}
        <main className="main" id="main" tabIndex={-1}>
          <Suspense>
            <Outlet />
          </Suspense>
          {task && (
            <Suspense>
              <TaskDrawer key={task} taskId={task} onClose={closeTask} />
            </Suspense>
          )}
        </main>
        <TabBar projectKey={project?.key} onMore={() => setIsMenuOpen(true)} />
        <Suspense>{isSettled && <InboxWatch />}</Suspense>
        <Suspense>
          {overlay?.is === 'palette' && <Palette onClose={close} />}
          {overlay?.is === 'create' && <CreateTask preset={overlay.preset} onClose={close} />}
          {overlay?.is === 'assign' && <AssignDialog taskId={overlay.taskId} onClose={close} />}
          {overlay?.is === 'move' && <MoveTask taskId={overlay.taskId} onClose={close} />}
          {overlay?.is === 'help' && <ShortcutsDialog onClose={close} />}
        </Suspense>
        <Toasts />
      </div>
    </ShellContext>
  )
}
