import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'

export type Doc = Record<string, unknown> & { id?: string; key?: string; version?: number }

export interface Resource {
  kind: string
  /** Where it is read. */
  path: string
  doc: Doc
}

const kindOf = (template: string): string => /^\/v1\/(\w+)/.exec(template)![1]!

/** What a task shows of others, and of its claim, changes without it. */
const derived = {
  claim: null,
  openBlockers: null,
  children: null,
  commentCount: null,
  openQuestions: null,
  stale: null,
  rank: null,
}

/** Times move by themselves, and a key's last use is noted a moment later. */
const steady = (doc: Doc): Doc => ({ ...doc, lastUsedAt: null, ...derived })

const sameMoment = (sent: string, kept: unknown): boolean =>
  kept === sent || (typeof kept === 'string' && Date.parse(kept) === Date.parse(sent.replace(' ', 'T')))

interface Check {
  text: string
  verifier?: string
}

/** The default checks of a project come first. */
const endsWithChecks = (kept: readonly Check[], sent: readonly Check[]): boolean => {
  const named = (checks: readonly Check[]) => checks.map(({ text, verifier = 'anyone' }) => [text.trim(), verifier])
  return JSON.stringify(named(kept.slice(kept.length - sent.length))) === JSON.stringify(named(sent))
}

const reasonOf = (paused: unknown): string | undefined => (paused as { reason: string } | null)?.reason.trim()

/** Whether a field of an answer says what was sent. */
const reflects = (name: string, sent: unknown, doc: Doc): boolean => {
  if (name === 'assigneeId') return ((doc.assignee as { id: string } | null)?.id ?? null) === sent
  if (name === 'projectId' || name === 'projectIds' || name === 'overlapSeconds') return true
  const kept = doc[name]
  // A patch of these keeps what it does not name.
  if (name === 'metadata') return true
  if (name === 'paused') return reasonOf(kept) === reasonOf(sent)
  if (name === 'checks' || name === 'defaultChecks') return endsWithChecks(kept as Check[], sent as Check[])
  if (sent === null && Array.isArray(kept)) return kept.length === 0
  if (/^(dueDate|expiresAt|notBefore|validUntil)$/.test(name) && typeof sent === 'string') return sameMoment(sent, kept)
  if (typeof sent === 'string' && typeof kept === 'string') return kept === sent || kept === sent.trim()
  if (Array.isArray(sent)) {
    const wanted = [...new Set(sent.map((each) => (typeof each === 'string' ? each.trim() : each)))]
    return JSON.stringify(kept) === JSON.stringify(wanted)
  }
  return kept === undefined || JSON.stringify(kept) === JSON.stringify(sent)
}

/** What the store must hold after the answers that were given. */
export const createModel = () => {
  const resources = new Map<string, Resource>()

  const expectReflected = (what: string, sent: unknown, doc: Doc): void => {
    for (const [name, value] of Object.entries(sent as Doc)) {
      assert.ok(
        reflects(name, value, doc),
        `${what}: ${name} was sent as ${JSON.stringify(value)}, kept as ${JSON.stringify(doc[name])}`,
      )
    }
  }

  const of = (kind: string): Resource[] => [...resources.values()].filter((each) => each.kind === kind)

  return {
    resources,
    of,
    nth: (kind: string, at: number): Resource | undefined => {
      const all = of(kind)
      return all[at % Math.max(1, all.length)]
    },
    created: (template: string, path: string, sent: unknown, doc: Doc): void => {
      expectReflected(`created ${path}`, sent, doc)
      const { key: _, ...withoutSecret } = doc
      const kept = kindOf(template) === 'keys' ? withoutSecret : doc
      resources.set(path, { kind: kindOf(template), path, doc: kept })
    },
    updated: (path: string, sent: unknown, doc: Doc): void => {
      expectReflected(`updated ${path}`, sent, doc)
      const before = resources.get(path)
      assert.ok(before, `${path} was changed, but should not be there`)
      const { key: _, ...rest } = doc
      const after = before.kind === 'keys' ? rest : doc
      for (const [name, value] of Object.entries(before.doc)) {
        if (name in (sent as Doc) || name in derived) continue
        if (/^(updatedAt|updatedBy|version|lastUsedAt|assignee|prefix)$/.test(name)) continue
        assert.deepEqual(after[name], value, `${path}: ${name} changed without being sent`)
      }
      if (before.doc.version !== undefined) {
        const { updatedAt: _then, updatedBy: _by, version: from, ...was } = { ...before.doc, ...derived } as Doc
        const { updatedAt: _now, updatedBy: _who, version: to, ...is } = { ...after, ...derived } as Doc
        const hasChanged = !isDeepStrictEqual(is, was)
        assert.equal(
          to,
          (from as number) + Number(hasChanged),
          `${path}: version after ${hasChanged ? 'a' : 'no'} change`,
        )
      }
      resources.set(path, { ...before, doc: after })
    },
    renamedUser: (id: string, name: unknown): void => {
      for (const task of of('tasks')) {
        const assignee = task.doc.assignee as { id: string; name: string } | null
        if (assignee?.id === id) task.doc = { ...task.doc, assignee: { id, name } }
      }
    },
    /** Its tasks lose their assignee, each as a change of its own, and its keys their user. */
    deletedUser: (id: string): void => {
      for (const task of of('tasks')) {
        if ((task.doc.assignee as { id: string } | null)?.id !== id) continue
        task.doc = { ...task.doc, assignee: null, version: task.doc.version! + 1 }
      }
      for (const key of of('keys')) if (key.doc.userId === id) resources.delete(key.path)
    },
    deletedProject: (id: string): void => {
      for (const [path, { doc }] of resources) if (doc.projectId === id) resources.delete(path)
    },
    same: (kept: Doc, read: Doc): void => {
      const { updatedAt: _kept, ...left } = steady(kept)
      const { updatedAt: _read, ...right } = steady(read)
      assert.deepEqual(right, left)
    },
  }
}

export type Model = ReturnType<typeof createModel>
