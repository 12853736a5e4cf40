import { type ReactNode, useEffect, useState } from 'react'
import type { Member, Project } from 'worklore-client'
import { errorText } from '../api/error-text'
import { Button, IconButton } from '../components/button'
import { useConsole } from '../store/console'
import { useUsers } from '../store/records'

type Role = Member['role']

/** The users with a role in a project. Each change is made at once, whatever becomes of the form. */
export const MembersField = ({ project: { id } }: { project: Project }): ReactNode => {
  const { client, toasts } = useConsole()
  const users = useUsers()
  const everyone = users.list
  const [members, setMembers] = useState<readonly Member[]>([])
  const [userId, setUserId] = useState('')

  useEffect(() => {
    let isShown = true
    const load = async (): Promise<void> => {
      const all: Member[] = []
      for await (const member of client.projects.members(id, { limit: 100 })) all.push(member)
      if (isShown) setMembers(all)
    }
    load().catch((cause) => toasts.error(errorText(cause)))
    return () => {
      isShown = false
    }
  }, [client, id, toasts])

  const set = async (member: string, role: Role): Promise<void> => {
    try {
      const saved = await client.projects.setMember(id, member, role)
      setMembers((all) => [...all.filter((each) => each.userId !== member), saved])
      setUserId('')
    } catch (cause) {
      toasts.error(errorText(cause))
    }
  }
  const remove = async (member: string): Promise<void> => {
    try {
      await client.projects.removeMember(id, member)
      setMembers((all) => all.filter((each) => each.userId !== member))
    } catch (cause) {
      toasts.error(errorText(cause))
    }
  }

  const others = everyone.filter((user) => members.every((member) => member.userId !== user.id))
  return (
    <>
      {members.map(({ userId: member, name, role }) => (
        <div key={member} className="check-list-row">
          <span className="row-main">{name}</span>
          <select
            className="input"
            aria-label={`Role of ${name}`}
            value={role}
            onChange={(event) => void set(member, event.target.value as Role)}
          >
            <option value="member">Member: reads and writes</option>
            <option value="viewer">Viewer: reads and comments</option>
          </select>
          <IconButton icon="close" label={`Remove ${name}`} onClick={() => void remove(member)} />
        </div>
      ))}
      {others.length > 0 && (
        <div className="check-list-row">
          <select
            className="input"
            aria-label="User"
            value={userId}
            onChange={(event) => setUserId(event.target.value)}
          >
            <option value="">Choose a user</option>
            {others.map((user) => (
              <option key={user.id} value={user.id}>
                {user.name}
              </option>
            ))}
          </select>
          <Button small icon="plus" disabled={userId === ''} onClick={() => void set(userId, 'member')}>
            Add
          </Button>
        </div>
      )}
      <p className="field-hint">A role here replaces the role in the tenant. It applies at once.</p>
    </>
  )
}
