import { Link } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useState } from 'react'
import type { Project } from 'worklore-client'
import { hasScope } from '../api/permissions'
import { Button } from '../components/button'
import { Confirm } from '../components/confirm'
import { numberText } from '../components/count'
import { Dialog } from '../components/dialog'
import { FormError, FormFoot } from '../components/form'
import { Icon } from '../components/icons'
import { ActionMenu } from '../components/menu'
import { Empty } from '../components/states'
import { Time } from '../components/time'
import { Page } from '../layout/page'
import { useConsole } from '../store/console'
import { useObservable } from '../store/observable'
import { useLoaded } from '../store/use-loaded'
import '../styles/manage.css'

const keyFrom = (name: string): string =>
  name
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '')
    .replace(/^\d+/, '')
    .slice(0, 4)

const ProjectForm = ({ project, onClose }: { project?: Project; onClose: () => void }): ReactNode => {
  const { client, projects, toasts } = useConsole()
  const [name, setName] = useState(project?.name ?? '')
  const [key, setKey] = useState(project?.key ?? '')
  const [isKeyTyped, setIsKeyTyped] = useState(project !== undefined)
  const [description, setDescription] = useState(project?.description ?? '')
  const [maxAttempts, setMaxAttempts] = useState(project?.maxAttempts ?? 5)
  const [error, setError] = useState<unknown>()
  const [isSaving, setIsSaving] = useState(false)
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setIsSaving(true)
    try {
      const saved = project
        ? await client.projects.update(project.id, { name, description, maxAttempts }, { ifMatch: project })
        : await client.projects.create({ key, name, description, maxAttempts })
      projects.put(saved)
      toasts.info(project ? `${saved.name} is saved` : `${saved.name} is created`)
      onClose()
    } catch (cause) {
      setError(cause)
      setIsSaving(false)
    }
  }
  return (
    <Dialog title={project ? `Settings of ${project.key}` : 'New project'} onClose={onClose}>
      <form onSubmit={submit}>
        <div className="dialog-body form">
          <div className="form-row">
            <div className="field">
              <label htmlFor="project-name">Name</label>
              <input
                id="project-name"
                className="input"
                value={name}
                required
                onChange={(event) => {
                  setName(event.target.value)
                  if (!isKeyTyped) setKey(keyFrom(event.target.value))
                }}
              />
            </div>
            <div className="field project-key-field">
              <label htmlFor="project-key">Key</label>
              <input
                id="project-key"
                className="input mono"
                value={key}
                required
                disabled={project !== undefined}
                pattern="[A-Z][A-Z0-9]{1,9}"
                title="2 to 10 of A-Z and 0-9, starting with a letter"
                onChange={(event) => {
                  setIsKeyTyped(true)
                  setKey(event.target.value.toUpperCase())
                }}
              />
            </div>
          </div>
          {!project && (
            <p className="field-hint">
              The key begins every task id, as in {key || 'ACME'}-12. It cannot be changed later.
            </p>
          )}
          <div className="field">
            <label htmlFor="project-description">Description</label>
            <textarea
              id="project-description"
              className="textarea"
              value={description}
              onChange={(event) => setDescription(event.target.value)}
            />
          </div>
          <div className="field">
            <label htmlFor="project-attempts">Attempts per task</label>
            <input
              id="project-attempts"
              className="input short"
              type="number"
              min={1}
              max={100}
              value={maxAttempts}
              onChange={(event) => setMaxAttempts(Number(event.target.value))}
            />
            <p className="field-hint">After this many failed attempts, a task waits for a person.</p>
          </div>
          <FormError error={error} />
        </div>
        <FormFoot submit={project ? 'Save' : 'Create project'} isDisabled={isSaving} onCancel={onClose} />
      </form>
    </Dialog>
  )
}

const ProjectRow = ({
  project,
  isAdmin,
  onEdit,
  onDelete,
}: {
  project: Project
  isAdmin: boolean
  onEdit: () => void
  onDelete: () => void
}): ReactNode => {
  const { client, me } = useConsole()
  const canCount = hasScope(useObservable(me), 'tasks:read')
  const { data: counts } = useLoaded(
    async (signal) => (canCount ? client.tasks.counts({ projectId: project.id }, { signal }) : null),
    [project.id, canCount],
  )
  const open = counts ? counts.todo + counts.in_progress + counts.in_review : 0
  return (
    <li className="row">
      <span className="project-badge mono">{project.key}</span>
      <Link to="/p/$project/board" params={{ project: project.key }} className="row-main">
        <span className="row-title">{project.name}</span>
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
              { value: onDelete, label: 'Delete', icon: <Icon name="trash" size={14} />, isDangerous: true },
            ]}
          />
        )}
      </span>
    </li>
  )
}

export const ProjectsPage = (): ReactNode => {
  const { projects, me: meNow, client, toasts } = useConsole()
  const list = useObservable(projects.list)
  const isAdmin = hasScope(useObservable(meNow), 'admin')
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
                  onEdit={() => setForm({ project })}
                  onDelete={() => setDeleting(project)}
                />
              ))}
            </ul>
          )}
        </div>
      </div>
      {form && <ProjectForm {...form} onClose={() => setForm(null)} />}
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
