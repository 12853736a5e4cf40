import { type ReactNode, useState } from 'react'
import type { Webhook } from 'worklore-client'
import { Dialog } from '../components/dialog'
import { FormError, FormFoot, useSubmit } from '../components/form'
import { Icon } from '../components/icons'
import { Picker } from '../components/menu'
import { useConsole } from '../store/console'
import { useProjects, useUsers } from '../store/records'
import { formatNames, inboxText, isChat, type WebhookFormat } from './webhook-text'

const kinds = ['task.*', 'comment.*', 'question.*', 'knowledge.*', 'project.*', 'user.*', 'key.*', 'webhook.*']

interface WebhookFormProps {
  webhook?: Webhook
  onSaved: (webhook: Webhook, secret: string | null | undefined) => void
  onClose: () => void
}

export const WebhookForm = ({ webhook, onSaved, onClose }: WebhookFormProps): ReactNode => {
  const { client } = useConsole()
  const projects = useProjects()
  const users = useUsers()
  const projectList = projects.list
  const userList = users.list
  const isUrlKept = webhook !== undefined && isChat(webhook.format)
  const [url, setUrl] = useState(isUrlKept ? '' : (webhook?.url ?? ''))
  const [format, setFormat] = useState<WebhookFormat>(webhook?.format ?? 'standard')
  const [inboxOf, setInboxOf] = useState<string | null>(webhook?.inboxOf ?? null)
  const [events, setEvents] = useState(webhook?.inboxOf === null ? webhook.events : ['task.*'])
  const [projectId, setProjectId] = useState<string | null>(webhook?.projectId ?? null)
  const [description, setDescription] = useState(webhook?.description ?? '')
  const isAll = events.includes('*')
  const sendsText = (value: string | null): string =>
    value === null ? 'Events' : inboxText(value, (id) => users.get(id)?.name)

  const { submit, isBusy, error } = useSubmit(async () => {
    const fields = { ...(inboxOf === null ? { events } : { inboxOf }), projectId, description }
    if (webhook) onSaved(await client.webhooks.update(webhook.id, { ...fields, ...(url && { url }) }), undefined)
    else {
      const { secret, ...created } = await client.webhooks.create({ ...fields, url, format })
      onSaved(created, secret)
    }
  })

  return (
    <Dialog title={webhook ? 'Edit the webhook' : 'New webhook'} onClose={onClose}>
      <form onSubmit={submit}>
        <div className="dialog-body form">
          <div className="form-row">
            <div className="field">
              <span className="field-label">Format</span>
              {webhook ? (
                <span>{formatNames[format]}</span>
              ) : (
                <Picker
                  label="Format"
                  className="block"
                  choices={Object.entries(formatNames).map(([value, label]) => ({
                    value: value as WebhookFormat,
                    label,
                  }))}
                  selected={[format]}
                  onChoose={setFormat}
                >
                  {formatNames[format]}
                  <Icon name="down" size={14} />
                </Picker>
              )}
            </div>
            <div className="field">
              <span className="field-label">Sends</span>
              <Picker
                label="Sends"
                className="block"
                choices={[null, 'humans', ...userList.map(({ id }) => id)].map((value) => ({
                  value,
                  label: sendsText(value),
                }))}
                selected={[inboxOf]}
                onChoose={setInboxOf}
              >
                {sendsText(inboxOf)}
                <Icon name="down" size={14} />
              </Picker>
            </div>
          </div>
          <div className="field">
            <label htmlFor="webhook-url">URL</label>
            <input
              id="webhook-url"
              className="input"
              type="url"
              placeholder={isUrlKept ? `${webhook.url}/…` : 'https://example.com/hooks/worklore'}
              value={url}
              required={!isUrlKept}
              aria-describedby={isChat(format) ? 'webhook-url-hint' : undefined}
              onChange={(event) => setUrl(event.target.value)}
            />
            {isChat(format) && (
              <p id="webhook-url-hint" className="field-hint">
                {isUrlKept ? 'A secret: leave it empty to keep it.' : 'A secret: it is not shown again.'}
              </p>
            )}
          </div>
          {inboxOf === null && (
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
          )}
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
          isDisabled={isBusy || (inboxOf === null && events.length === 0)}
          onCancel={onClose}
        />
      </form>
    </Dialog>
  )
}
