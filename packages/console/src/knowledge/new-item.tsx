import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { PreconditionFailedError } from 'worklore-client'
import { Dialog } from '../components/dialog'
import { FormError, FormFoot, useSubmit } from '../components/form'
import { Icon } from '../components/icons'
import { Picker } from '../components/menu'
import { itemLink } from '../item-link'
import { useConsole } from '../store/console'
import { useMe, useProjects } from '../store/records'

interface NewItemProps {
  /** The key of the item that is open, whose folder is offered. */
  near?: string
  projectId: string | null
  onClose: () => void
}

export const NewItem = ({ near, projectId: current, onClose }: NewItemProps): ReactNode => {
  const { client } = useConsole()
  const projects = useProjects()
  const me = useMe()
  const list = projects.list
  const navigate = useNavigate()
  const folder = near?.includes('/') ? near.slice(0, near.lastIndexOf('/') + 1) : ''
  const [key, setKey] = useState(folder)
  const allowed = me.projects === null ? list : list.filter(({ id }) => me.projects!.some((each) => each.id === id))
  const [projectId, setProjectId] = useState<string | null>(
    me.projects === null ? current : (current ?? allowed[0]?.id ?? null),
  )

  const { submit, isBusy, error } = useSubmit(
    async () => {
      await client.knowledge.put(key, { content: '', projectId }, { ifNoneMatch: '*' })
      const link = itemLink(key, projects.get(projectId ?? '')?.key) as unknown as { search: object }
      onClose()
      await navigate({ ...link, search: { ...link.search, edit: '1' } } as never)
    },
    (cause) =>
      cause instanceof PreconditionFailedError ? new Error('There is an item with this key already.') : cause,
  )
  return (
    <Dialog title="New item" onClose={onClose}>
      <form onSubmit={submit}>
        <div className="dialog-body form">
          <div className="field">
            <label htmlFor="item-key">Key</label>
            <input
              id="item-key"
              className="input mono"
              placeholder="guides/setup"
              value={key}
              required
              onChange={(event) => setKey(event.target.value)}
            />
            <p className="field-hint">Slashes make folders, as in guides/setup/linux.</p>
          </div>
          <div className="field">
            <span className="field-label">For</span>
            <Picker
              label="For"
              className="block"
              choices={[
                ...(me.projects === null ? [{ value: null, label: 'All projects' }] : []),
                ...allowed.map(({ id, name, key: hint }) => ({ value: id as string | null, label: name, hint })),
              ]}
              selected={[projectId]}
              onChoose={setProjectId}
            >
              {projects.get(projectId ?? '')?.name ?? 'All projects'}
              <Icon name="down" size={14} />
            </Picker>
          </div>
          <FormError error={error} />
        </div>
        <FormFoot submit="Create and write" isDisabled={isBusy || key.trim() === ''} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
