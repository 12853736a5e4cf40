import { type FormEvent, type ReactNode, useState } from 'react'
import type { Webhook } from 'worklore-client'
import { Dialog } from '../components/dialog'
import { FormError, FormFoot } from '../components/form'
import { Icon } from '../components/icons'
import { Picker } from '../components/menu'
import { useConsole } from '../store/console'
import { useObservable } from '../store/observable'

const kinds = ['task.*', 'comment.*', 'knowledge.*', 'project.*', 'user.*', 'key.*', 'webhook.*']

interface WebhookFormProps {
  webhook?: Webhook
  onSaved: (webhook: Webhook, secret: string | null | undefined) => void
  onClose: () => void
}

export const WebhookForm = ({ webhook, onSaved, onClose }: WebhookFormProps): ReactNode => {
  const { client, projects } = useConsole()
  const projectList = useObservable(projects.list)
  const [url, setUrl] = useState(webhook?.url ?? '')
  const [events, setEvents] = useState(webhook?.events ?? ['task.*'])
  const [projectId, setProjectId] = useState<string | null>(webhook?.projectId ?? null)
  const [description, setDescription] = useState(webhook?.description ?? '')
  const [error, setError] = useState<unknown>()
  const [isSaving, setIsSaving] = useState(false)
  const isAll = events.includes('*')

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setIsSaving(true)
    const fields = { url, events, projectId, description }
    try {
      if (webhook) onSaved(await client.webhooks.update(webhook.id, fields), undefined)
      else {
        const { secret, ...created } = await client.webhooks.create(fields)
        onSaved(created, secret)
      }
    } catch (cause) {
      setError(cause)
      setIsSaving(false)
    }
  }

  return (
    <Dialog title={webhook ? 'Edit the webhook' : 'New webhook'} onClose={onClose}>
      <form onSubmit={submit}>
        <div className="dialog-body form">
          <div className="field">
            <label htmlFor="webhook-url">URL</label>
            <input
              id="webhook-url"
              className="input"
              type="url"
              placeholder="https://example.com/hooks/worklore"
              value={url}
              required
              onChange={(event) => setUrl(event.target.value)}
            />
          </div>
          <fieldset className="field">
            <legend>Events</legend>
            <label className="check">
              <input type="checkbox" checked={isAll} onChange={() => setEvents(isAll ? ['task.*'] : ['*'])} />
              <span>Everything</span>
            </label>
            <div className="check-columns">
              {[...new Set([...kinds, ...events.filter((type) => type !== '*')])].map((type) => (
                <label key={type} className="check">
                  <input
                    type="checkbox"
                    disabled={isAll}
                    checked={isAll || events.includes(type)}
                    onChange={() =>
                      setEvents((list) =>
                        list.includes(type) ? list.filter((each) => each !== type) : [...list, type],
                      )
                    }
                  />
                  <span>{type}</span>
                </label>
              ))}
            </div>
          </fieldset>
          <div className="field">
            <span className="field-label">Project</span>
            <Picker
              label="Project"
              className="block"
              choices={[
                { value: null, label: 'All projects' },
                ...projectList.map(({ id, name, key }) => ({ value: id as string | null, label: name, hint: key })),
              ]}
              selected={[projectId]}
              onChoose={setProjectId}
            >
              {projects.get(projectId ?? '')?.name ?? 'All projects'}
              <Icon name="down" size={14} />
            </Picker>
          </div>
          <div className="field">
            <label htmlFor="webhook-description">Description</label>
            <input
              id="webhook-description"
              className="input"
              value={description}
              onChange={(event) => setDescription(event.target.value)}
            />
          </div>
          <FormError error={error} />
        </div>
        <FormFoot
          submit={webhook ? 'Save' : 'Create webhook'}
          isDisabled={isSaving || events.length === 0}
          onCancel={onClose}
        />
      </form>
    </Dialog>
  )
}
