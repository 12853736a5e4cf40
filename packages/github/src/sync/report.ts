/** One thing that was done, or would be in a dry run. */
export interface Action {
  action:
    | 'task.created'
    | 'task.updated'
    | 'task.deleted'
    | 'task.linked'
    | 'issue.created'
    | 'issue.updated'
    | 'issue.closed'
    | 'issue.gone'
    | 'issue.left'
    | 'comment.copied'
    | 'comment.sent'
    | 'comment.updated'
    | 'comment.deleted'
    | 'pull.linked'
    | 'pull.unlinked'
    | 'conflict'
  issue?: number | undefined
  task?: string | undefined
  detail?: string | undefined
}

/** Something that one side refused. */
export interface Refusal {
  issue?: number | undefined
  task?: string | undefined
  reason: string
}

export interface Report {
  did(action: Action): void
  refused(refusal: Refusal): void
  progress(what: string, done: number): void
  /** Whether anything was written since the last call. */
  takeChanged(): boolean
}

/** For a dry run, which finds what changed on both sides from either of them. */
export const tellingOnce = (report: Report): Report => {
  const told = new Set<string>()
  return {
    ...report,
    did: (action) => {
      const line = JSON.stringify(action)
      if (!told.has(line)) report.did(action)
      told.add(line)
    },
  }
}
