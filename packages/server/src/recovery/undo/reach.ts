import { kindOfType, partOf } from '../../changelog/versions/version.js'
import type { Call } from '../../operations/call.js'
import { currentVersion } from '../history/current-version.js'
import type { HistoryRow } from '../history/selection.js'
import { isVisible } from '../history/visible.js'

/** Whether the caller may read a record both in the project where it was changed and in the one where it is now. */
export const isReachable = async (call: Call, { type, record, project_id }: HistoryRow): Promise<boolean> => {
  const kind = kindOfType(type)
  if (!isVisible(call.actor, kind, project_id)) return false
  const isPart = kind === 'comment' || kind === 'question'
  const living = isPart
    ? await currentVersion(call, 'task', partOf(record).taskId)
    : await currentVersion(call, kind, record)
  const { projectId = null } = living === undefined ? {} : (JSON.parse(living) as { projectId?: string | null })
  return isVisible(call.actor, kind, projectId ?? '')
}
