import { Outlet, useNavigate, useRouterState } from '@tanstack/react-router'
import { type ComponentType, type ReactNode, Suspense, useMemo, useState } from 'react'
import { hasScope } from '../api/permissions'
import { onDemand } from '../components/on-demand'
import { Toasts } from '../components/toasts'
import { narrow, useMedia } from '../components/use-media'
import { holdKeys } from '../keyboard/hold-keys'
import { useKeys } from '../keyboard/use-keys'
import { type NewTask, type ShellActions, ShellContext } from '../layout/shell-context'
import { useSettled } from '../layout/use-settled'
import { useQuery, useSetQuery } from '../query'
import { useMe } from '../store/records'
import { useUndoLast } from '../undo/use-undo-last'
import { Sidebar } from './sidebar'
import { useCurrentProject } from './use-current-project'

const TaskDrawer = onDemand(() => import('../tasks/drawer/drawer').then(({ TaskDrawer }) => ({ default: TaskDrawer })))
const ShortcutsDialog = onDemand(() =>
  import('../keyboard/shortcuts').then(({ ShortcutsDialog }) => ({ default: ShortcutsDialog })),
)
const TabBar = onDemand(() => import('./tab-bar').then(({ TabBar }) => ({ default: TabBar })))
const Palette = onDemand(() => import('./palette').then(({ Palette }) => ({ default: Palette })))
const CreateTask = onDemand(() =>
  import('../tasks/create/create-task').then(({ CreateTask }) => ({ default: CreateTask })),
)
const AssignDialog = onDemand(() =>
  import('../tasks/assign-dialog').then(({ AssignDialog }) => ({ default: AssignDialog })),
)

const MoveTask = onDemand(() => import('../tasks/move-task').then(({ MoveTask }) => ({ default: MoveTask })))

const Nothing = (): null => null
/** A part that comes by itself, after the page. */
const laterPart = (load: () => Promise<{ default: ComponentType }>) =>
  // Where the connection is lost in the midst of it, what is on the screen stays.
  onDemand(() => load().catch(() => ({ default: Nothing })))
const InboxWatch = laterPart(() => import('../inbox/watch').then(({ InboxWatch }) => ({ default: InboxWatch })))
const PauseBanner = laterPart(() => import('../pauses/pause-banner'))
type Overlay =
  | { is: 'palette' }
  | { is: 'help' }
  | { is: 'create'; preset: NewTask }
  | { is: 'assign' | 'move'; taskId: string }

export const Shell = (): ReactNode => {
  const me = useMe()
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

  const shell = useMemo((): ShellActions => {
    const openToType = (next: Overlay): void => {
      holdKeys()
      setOverlay(next)
    }
    return {
      openMenu: () => setIsMenuOpen(true),
      openPalette: () => openToType({ is: 'palette' }),
      openHelp: () => setOverlay({ is: 'help' }),
      createTask: (preset = {}) => openToType({ is: 'create', preset }),
      assign: (taskId) => openToType({ is: 'assign', taskId }),
      moveTask: (taskId) => openToType({ is: 'move', taskId }),
    }
  }, [])

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
    'g d': () => goToProject('graph'),
    'g a': () => void navigate({ to: '/tasks' }),
    'g k': () => void navigate({ to: '/k' }),
    'g e': () => void navigate({ to: '/events' }),
    'g s': () => void navigate({ to: '/search' }),
    u: () => void undoLast(),
    ...(canWriteTasks && !createsItems && { c: () => shell.createTask(project ? { projectId: project.id } : {}) }),
    ...(canWriteTasks && task && { a: () => shell.assign(task) }),
    ...(task && { Escape: closeTask }),
  })

  const close = (): void => setOverlay(null)
  const isNarrow = useMedia(narrow)
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
          <Suspense>{isSettled && <PauseBanner />}</Suspense>
          <Suspense>
            <Outlet />
          </Suspense>
          {task && (
            <Suspense>
              <TaskDrawer key={task} taskId={task} onClose={closeTask} />
            </Suspense>
          )}
        </main>
        <Suspense>{isNarrow && <TabBar projectKey={project?.key} onMore={() => setIsMenuOpen(true)} />}</Suspense>
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
