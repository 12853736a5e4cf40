import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { KnowledgeItem } from 'worklore-client'
import { countOf } from '../components/count'
import { Dialog } from '../components/dialog'
import { FormError, FormFoot, useSubmit } from '../components/form'
import { itemLink } from '../item-link'
import { useConsole } from '../store/console'
import { useProjects } from '../store/records'

export const MoveItem = ({ item, onClose }: { item: KnowledgeItem; onClose: () => void }): ReactNode => {
  const { client, knowledge, toasts } = useConsole()
  const projects = useProjects()
  const navigate = useNavigate()
  const [to, setTo] = useState(item.key)
  const [recursive, setRecursive] = useState(false)
  const below = [...knowledge.entries()].filter(
    ({ key, projectId }) => projectId === item.projectId && key.startsWith(`${item.key}/`),
  ).length
  const { submit, isBusy, error } = useSubmit(async () => {
    const moved = await client.knowledge.move({
      from: item.key,
      to,
      ...(item.projectId && { projectId: item.projectId }),
      ...(recursive && { recursive }),
    })
    toasts.info(moved.length === 1 ? `Moved to ${to}` : `Moved ${countOf(moved.length, 'item')} to ${to}`)
    onClose()
    await navigate(itemLink(to, projects.get(item.projectId ?? '')?.key) as never)
  })
  return (
    <Dialog title="Move or rename" onClose={onClose}>
      <form onSubmit={submit}>
        <div className="dialog-body form">
          <div className="field">
            <label htmlFor="move-to">New key</label>
            <input
              id="move-to"
              className="input mono"
              value={to}
              required
              onChange={(event) => setTo(event.target.value)}
            />
          </div>
          {below > 0 && (
            <label className="check">
              <input type="checkbox" checked={recursive} onChange={() => setRecursive((value) => !value)} />
              <span>Move the {below} items below it too</span>
            </label>
          )}
          <FormError error={error} />
        </div>
        <FormFoot submit="Move" isDisabled={isBusy || to === item.key} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
