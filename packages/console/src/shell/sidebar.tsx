import { Link } from '@tanstack/react-router'
import { type ReactNode, Suspense, useState } from 'react'
import { hasScope } from '../api/permissions'
import { signOut } from '../api/session'
import { Avatar } from '../components/avatar'
import { commandKey, IconButton, Kbd } from '../components/button'
import { Confirm } from '../components/confirm'
import { countOf, numberText } from '../components/count'
import { Icon, type IconName } from '../components/icons'
import { Picker } from '../components/menu'
import { onDemand } from '../components/on-demand'
import { useShell } from '../layout/shell-context'
import { useSettled } from '../layout/use-settled'
import { useObservable } from '../store/base/observable'
import { useConsole } from '../store/console'
import { useMe, useProjects } from '../store/records'
import { BrandMark } from './brand'
import { applyTheme, readTheme, type Theme } from './theme'

const FavouriteLinks = onDemand(() => import('../favourites/favourite-links'))

/** Without any, the list is loaded after the page. */
const hasFavourites = (): boolean => Object.keys(localStorage).some((name) => name.startsWith('worklore.favourites.'))

const NavLink = ({
  to,
  icon,
  children,
  exact,
}: {
  to: string
  icon: IconName
  children: ReactNode
  exact?: boolean
}): ReactNode => (
  <Link
    to={to}
    className="nav-link"
    activeOptions={{ exact: exact ?? false, includeSearch: false }}
    activeProps={{ 'aria-current': 'page' }}
  >
    <Icon name={icon} />
    {children}
  </Link>
)

/** How much waits for who is signed in; nothing where it is nothing. */
export const Waiting = (): ReactNode => {
  const count = useObservable(useConsole().waiting)
  return count !== null && count > 0 && <span className="nav-badge num">{numberText(count)}</span>
}

const themeNames: Record<Theme, string> = { system: 'Like the system', light: 'Light', dark: 'Dark' }

const ThemePicker = (): ReactNode => {
  const [theme, setTheme] = useState(readTheme)
  return (
    <Picker
      label="Appearance"
      choices={(['system', 'light', 'dark'] as const).map((value) => ({ value, label: themeNames[value] }))}
      selected={[theme]}
      onChoose={(value) => {
        applyTheme(value)
        setTheme(value)
      }}
      className="icon-button"
      isIcon
    >
      <Icon name={theme === 'dark' ? 'moon' : 'sun'} />
    </Picker>
  )
}

const Account = (): ReactNode => {
  const { session, isSignedOut, drafts } = useConsole()
  const me = useMe()
  const [isAsking, setIsAsking] = useState(false)
  const name = me.user?.name ?? me.key.name
  const leave = async (): Promise<void> => {
    drafts.end()
    await signOut(session)
    isSignedOut.set(true)
  }
  return (
    <>
      <Picker
        label="Account"
        className="account"
        choices={[
          {
            value: () => (drafts.count() > 0 ? setIsAsking(true) : void leave()),
            label: 'Sign out',
            icon: <Icon name="signout" size={14} />,
          },
        ]}
        selected={[]}
        onChoose={(run) => run()}
      >
        <Avatar name={name} isAgent={me.user?.kind === 'agent'} />
        <span className="account-text">
          <span className="truncate">{name}</span>
          <small className="truncate">
            {me.tenant.name} · {me.plan}
          </small>
        </span>
      </Picker>
      {isAsking && (
        <Confirm title="Sign out?" action="Sign out" isDangerous run={leave} onClose={() => setIsAsking(false)}>
          {countOf(drafts.count(), 'unsent draft')} in this browser will be deleted.
        </Confirm>
      )}
    </>
  )
}

export const Sidebar = ({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }): ReactNode => {
  const projects = useProjects()
  const { openPalette, openHelp } = useShell()
  const me = useMe()
  const list = projects.list
  const showsFavourites = useSettled() || hasFavourites()
  const isAdmin = hasScope(me, 'admin')
  const seesTasks = hasScope(me, 'tasks:read')
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: closes the menu of a phone when a link in it is followed
    <nav
      className="sidebar"
      data-open={isOpen}
      aria-label="Main"
      onClick={(event) => {
        if ((event.target as Element).closest('a')) onClose()
      }}
    >
      <div className="sidebar-head">
        <Link to="/" className="brand">
          <BrandMark />
          <span className="truncate">Worklore</span>
        </Link>
        <ThemePicker />
      </div>
      <button type="button" className="sidebar-search" onClick={openPalette}>
        <Icon name="search" size={14} />
        <span>Search or jump to</span>
        <Kbd>{commandKey}K</Kbd>
      </button>
      <div className="sidebar-nav">
        <NavLink to="/" icon="overview" exact>
          Overview
        </NavLink>
        {seesTasks && (
          <NavLink to="/inbox" icon="inbox">
            <span className="truncate">Needs you</span>
            <Waiting />
          </NavLink>
        )}
        {seesTasks && (
          <NavLink to="/tasks" icon="list">
            All tasks
          </NavLink>
        )}
        <NavLink to="/agents" icon="agents">
          Agents
        </NavLink>
        {hasScope(me, 'knowledge:read') && (
          <NavLink to="/k" icon="book">
            Knowledge
          </NavLink>
        )}
        <NavLink to="/search" icon="search">
          Search
        </NavLink>
        <NavLink to="/events" icon="events">
          Events
        </NavLink>
        <Suspense>{seesTasks && showsFavourites && <FavouriteLinks />}</Suspense>
        {seesTasks && (
          <div className="nav-group">
            <div className="nav-title">
              Projects
              <Link to="/projects" className="icon-button" aria-label="All projects" title="All projects">
                <Icon name="more" size={14} />
              </Link>
            </div>
            {list.map((project) => (
              <Link
                key={project.id}
                to="/p/$project/board"
                params={{ project: project.key }}
                className="nav-link"
                activeProps={{}}
                aria-current={location.pathname.startsWith(`/console/p/${project.key}/`) ? 'page' : undefined}
              >
                <Icon name="project" />
                <span className="truncate">{project.name}</span>
                <span className="nav-key">{project.key}</span>
              </Link>
            ))}
            {list.length === 0 && (
              <NavLink to="/projects" icon="plus">
                {isAdmin ? 'Create a project' : 'No projects yet'}
              </NavLink>
            )}
          </div>
        )}
        <div className="nav-group">
          <div className="nav-title">Manage</div>
          <NavLink to="/people" icon="user">
            People
          </NavLink>
          {isAdmin && (
            <>
              <NavLink to="/keys" icon="key">
                Keys
              </NavLink>
              <NavLink to="/webhooks" icon="webhook">
                Webhooks
              </NavLink>
              <NavLink to="/audit" icon="history">
                Audit
              </NavLink>
            </>
          )}
          <NavLink to="/usage" icon="usage">
            Usage
          </NavLink>
          <NavLink to="/trash" icon="trash">
            Trash
          </NavLink>
        </div>
      </div>
      <div className="sidebar-foot">
        <Account />
        <IconButton icon="help" label="Keyboard shortcuts" onClick={openHelp} />
      </div>
    </nav>
  )
}
