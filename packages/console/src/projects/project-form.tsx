import { type ReactNode, useState } from 'react'
import type { Project } from 'worklore-client'
import { Dialog } from '../components/dialog'
import { FormError, FormFoot, useSubmit } from '../components/form'
import { useConsole } from '../store/console'
import { CheckListField } from './check-list-field'
import { MembersField } from './members-field'
import { StatusesField } from './statuses-field'

const keyFrom = (name: string): string =>
  name
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '')
    .replace(/^\d+/, '')
    .slice(0, 4)

export const ProjectForm = ({ project, onClose }: { project?: Project; onClose: () => void }): ReactNode => {
  const { client, projects, toasts } = useConsole()
  const [name, setName] = useState(project?.name ?? '')
  const [key, setKey] = useState(project?.key ?? '')
  const [isKeyTyped, setIsKeyTyped] = useState(project !== undefined)
  const [description, setDescription] = useState(project?.description ?? '')
  const [maxAttempts, setMaxAttempts] = useState(project?.maxAttempts ?? 5)
  const [defaultChecks, setDefaultChecks] = useState(project?.defaultChecks ?? [])
  const [statuses, setStatuses] = useState(project?.statuses ?? null)
  const [visibility, setVisibility] = useState(project?.visibility ?? 'tenant')
  const { submit, isBusy, error } = useSubmit(async () => {
    const fields = {
      name,
      description,
      maxAttempts,
      defaultChecks: defaultChecks.filter(({ text }) => text.trim() !== ''),
      statuses,
      visibility,
    }
    const saved = project
      ? await client.projects.update(project.id, fields, { ifMatch: project })
      : await client.projects.create({ key, ...fields })
    projects.put(saved)
    toasts.info(project ? `${saved.name} is saved` : `${saved.name} is created`)
    onClose()
  })
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
          <CheckListField value={defaultChecks} onChange={setDefaultChecks} />
          <StatusesField value={statuses} onChange={setStatuses} />
          <fieldset className="field">
            <legend>Who sees it</legend>
            <label className="check">
              <input
                type="checkbox"
                checked={visibility === 'private'}
                onChange={(event) => setVisibility(event.target.checked ? 'private' : 'tenant')}
              />
              <span>
                Private
                <small>Only admins and users with a role in the project find it</small>
              </span>
            </label>
            {project && <MembersField project={project} />}
          </fieldset>
          <FormError error={error} />
        </div>
        <FormFoot submit={project ? 'Save' : 'Create project'} isDisabled={isBusy} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
