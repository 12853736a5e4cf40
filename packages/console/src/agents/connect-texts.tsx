import { type ReactNode, useState } from 'react'
import type { ApiKeyWithSecret } from 'worklore-client'
import { type AgentClient, agentClients, otherClients } from 'worklore-client/setup'
import { Button } from '../components/button'
import { Dialog } from '../components/dialog'
import { Icon } from '../components/icons'
import { Command } from '../components/states'
import { useFirstUse } from './use-first-use'
import '../styles/connect.css'

const clients: readonly AgentClient[] = Object.values({ ...agentClients, ...otherClients })

const Progress = ({ keyId, name }: { keyId: string; name: string }): ReactNode => {
  const state = useFirstUse(keyId)
  return (
    <p className="connect-state" data-state={state} role="status">
      {state === 'connected' ? (
        <>
          <Icon name="check" size={14} /> Connected: {name} made its first call.
        </>
      ) : state === 'revoked' ? (
        'The key was revoked.'
      ) : (
        `Waiting for the first call of ${name}…`
      )}
    </p>
  )
}

const Texts = ({ apiKey }: { apiKey: string }): ReactNode => {
  const [index, setIndex] = useState(0)
  return (
    <>
      <fieldset className="field">
        <legend>It runs in</legend>
        <div className="client-choice">
          {clients.map(({ name }, at) => (
            <label key={name}>
              <input type="radio" name="client" checked={at === index} onChange={() => setIndex(at)} />
              {name}
            </label>
          ))}
        </div>
      </fieldset>
      {clients[index]!.instructions({ baseUrl: location.origin, apiKey }).map(({ about, text, isLink }) =>
        isLink ? (
          <a key={about} className="button primary connect-link" href={text}>
            {about}
          </a>
        ) : (
          <div key={about} className="field">
            <span className="field-label">{about}</span>
            <Command text={text.trimEnd()} />
          </div>
        ),
      )}
    </>
  )
}

/** How to connect an agent, with its key, shown this once. */
export const ConnectTexts = ({ apiKey, onClose }: { apiKey: ApiKeyWithSecret; onClose: () => void }): ReactNode => (
  <Dialog title={`Connect ${apiKey.name}`} onClose={onClose} className="wide" isFirm>
    <div className="dialog-body form">
      {apiKey.key ? (
        <>
          <Texts apiKey={apiKey.key} />
          <p className="field-hint">The key in it is shown this once; only a hash of it is stored.</p>
        </>
      ) : (
        <p className="form-error">The answer was lost on the way. Rotate the key to get another.</p>
      )}
      <Progress keyId={apiKey.id} name={apiKey.name} />
    </div>
    <div className="dialog-foot">
      <Button kind="primary" onClick={onClose}>
        Done
      </Button>
    </div>
  </Dialog>
)
