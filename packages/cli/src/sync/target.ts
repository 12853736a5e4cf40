import type { Worklore } from 'worklore-client'
import type { Cli } from '../command.js'
import { usageError } from '../exit-codes.js'
import { projectOf } from '../notes.js'
import { checkedPrefix } from './paths.js'
import type { SyncTarget } from './state.js'

const names = { tenantId: 'tenant', projectId: 'project', prefix: 'prefix' } as const

/** A target in messages. */
export const targetName = ({ projectId, projectKey, prefix }: SyncTarget): string =>
  `${projectId === null ? 'the whole tenant' : `project ${projectKey ?? projectId}`}${prefix && ` below ${prefix}`}`

/** Where a folder is synced to: where it was before, unless something else is asked for. That is refused. */
export const findTarget = async (
  cli: Cli,
  wl: Worklore,
  { prefix, tenant }: { prefix?: string | undefined; tenant?: boolean | undefined },
  before: SyncTarget | undefined,
): Promise<SyncTarget> => {
  const project = projectOf(cli, tenant)
  if (!before && !tenant && project === undefined) {
    throw usageError(
      'The first sync of a folder, or one after its .worklore/sync.json was lost, needs a target: name a project with -p, or use --tenant for the notes of the whole tenant.',
    )
  }
  const isSame = before && !tenant && !cli.settings.isProjectExplicit
  const [me, { id: projectId, key: projectKey }] = await Promise.all([
    wl.me(),
    isSame
      ? { id: before.projectId, key: before.projectKey }
      : project === undefined
        ? { id: null, key: undefined }
        : wl.projects.get(project),
  ])
  const target = {
    tenantId: me.tenant.id,
    projectId,
    projectKey,
    prefix: prefix === undefined && before ? before.prefix : checkedPrefix(prefix ?? ''),
  }
  for (const name of ['tenantId', 'projectId', 'prefix'] as const) {
    if (!before || target[name] === before[name]) continue
    throw usageError(
      `This folder is synced with another ${names[name]}. To sync it with this one instead, remove .worklore/sync.json in it.`,
    )
  }
  return target
}
