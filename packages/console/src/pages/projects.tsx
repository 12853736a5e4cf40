import { Link } from '@tanstack/react-router'
import { type ReactNode, Suspense, useState } from 'react'
import type { Project } from 'worklore-client'
import { hasScope } from '../api/permissions'
import { Button } from '../components/button'
import { Confirm } from '../components/confirm'
import { numberText } from '../components/count'
import { Icon } from '../components/icons'
import { ActionMenu, type Choice } from '../components/menu'
import { onDemand } from '../components/on-demand'
import { Empty } from '../components/states'
import { Time } from '../components/time'
import { Page } from '../layout/page'
import { PausedBadge, usePause } from '../pauses/use-pause'
import { useObservable } from '../store/base/observable'
import { useConsole } from '../store/console'
import { useMe, useProjects } from '../store/records'
import { useLoaded } from '../store/use-loaded'
import '../styles/manage.css'

const ProjectForm = onDemand(() =>
  import('../projects/project-form').then(({ ProjectForm }) => ({ default: ProjectForm })),
)

const ProjectRow = ({
  project,
  isAdmin,
  pauseChoice,
  onEdit,
  onDelete,
}: {
  project: Project
  isAdmin: boolean
  pauseChoice: Choice<() => void>
  onEdit: () => void
  onDelete: () => void
}): ReactNode => {
  const { client, me } = useConsole()
  const canCount = hasScope(useObservable(me), 'tasks:read')
  const { data: counts } = useLoaded(
    async (signal) => (canCount ? client.tasks.counts({ projectId: project.id }, { signal }) : null),
    ['counts', project.id, canCount],
  )
  const open = counts ? counts.todo + counts.in_progress + counts.in_review : 0
  return (
    <li className="row">
      <span className="project-badge mono">{project.key}</span>
      <Link to="/p/$project/board" params={{ project: project.key }} className="row-main">
        <span className="row-title">
          {project.name} <PausedBadge paused={project.paused} />
        </span>
        {project.description && <small className="truncate">{project.description}</small>}
      </Link>
      <span className="row-end muted num">
        {counts && (
          <span className="desktop-only">
            {numberText(open)} open · {numberText(counts.total)} in all ·{' '}
          </span>
        )}
        <span className="desktop-only">
          updated <Time at={project.updatedAt} />
        </span>
        {isAdmin && (
          <ActionMenu
            label={`Actions on ${project.key}`}
            actions={[
              { value: onEdit, label: 'Settings', icon: <Icon name="edit" size={14} /> },
              pauseChoice,
              { value: onDelete, label: 'Delete', icon: <Icon name="trash" size={14} />, isDangerous: true },
            ]}
          />
        )}
      </span>
    </li>
  )
}

export const ProjectsPage = (): ReactNode => {
  const { client, projects, toasts } = useConsole()
  const { list } = useProjects()
  const isAdmin = hasScope(useMe(), 'admin')
  const { choice, dialog } = usePause()
  const [form, setForm] = useState<{ project?: Project } | null>(null)
  const [deleting, setDeleting] = useState<Project | null>(null)
  return (
    <Page
      title="Projects"
      actions={
        isAdmin && (
          <Button kind="primary" icon="plus" onClick={() => setForm({})}>
            New project
          </Button>
        )
      }
    >
      <div className="page-body">
        <div className="page-content narrow">
          {list.length === 0 ? (
            <Empty icon="project" title="No projects yet">
              <p>
                Tasks belong to a project. {isAdmin ? 'Create the first one to begin.' : 'Ask an admin to create one.'}
              </p>
              {isAdmin && (
                <Button kind="primary" icon="plus" onClick={() => setForm({})}>
                  Create a project
                </Button>
              )}
            </Empty>
          ) : (
            <ul className="rows">
              {list.map((project) => (
                <ProjectRow
                  key={project.id}
                  project={project}
                  isAdmin={isAdmin}
                  pauseChoice={choice({ ...project, what: 'project' })}
                  onEdit={() => setForm({ project })}
                  onDelete={() => setDeleting(project)}
                />
              ))}
            </ul>
          )}
        </div>
      </div>
      {dialog}
      <Suspense>{form && <ProjectForm {...form} onClose={() => setForm(null)} />}</Suspense>
      {deleting && (
        <Confirm
          title={`Delete ${deleting.name}?`}
          action="Delete project"
          isDangerous
          typed={deleting.key}
          run={async () => {
            await client.projects.delete(deleting.id, { force: true })
            projects.remove(deleting.id)
            toasts.info(`${deleting.name} is deleted`)
          }}
          onClose={() => setDeleting(null)}
        >
          All its tasks and knowledge are deleted with it.
        </Confirm>
      )}
    </Page>
  )
}
