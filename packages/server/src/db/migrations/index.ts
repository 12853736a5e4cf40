import type { Migration } from '../migration.js'
import { foundation } from './0001-foundation.js'
import { search } from './0002-search.js'
import { webhooks } from './0003-webhooks.js'
import { embeddings } from './0004-embeddings.js'
import { sharedTables } from './0005-shared-tables.js'
import { eventOrigin } from './0006-event-origin.js'
import { secretKeys } from './0007-secret-keys.js'
import { streamTickets } from './0008-stream-tickets.js'
import { agentWork } from './0009-agent-work.js'
import { auditAndQuotas } from './0010-audit-and-quotas.js'
import { deletions } from './0012-deletions.js'
import { history } from './0013-history.js'
import { consoleSessions } from './0015-console.js'
import { keptBytes } from './0016-kept-bytes.js'
import { commitCounts } from './0017-commit-counts.js'
import { eventTenants } from './0018-event-tenants.js'
import { erasures } from './0019-erasures.js'
import { inbox } from './0020-inbox.js'
import { questions } from './0021-questions.js'
import { handles } from './0022-handles.js'
import { checks } from './0023-checks.js'
import { formerPlaces } from './0024-former-places.js'
import { knowledgeLifecycle } from './0025-knowledge-lifecycle.js'
import { lastUsers } from './0026-last-users.js'
import { inboxIndex } from './0027-inbox-index.js'
import { resources } from './0028-resources.js'
import { moves } from './0029-moves.js'
import { ranks } from './0030-ranks.js'
import { statuses } from './0031-statuses.js'
import { longTexts } from './0032-long-texts.js'
import { roles } from './0033-roles.js'
import { signIn } from './0034-sign-in.js'
import { sessionWrites } from './0035-session-writes.js'
import { pauses } from './0036-pauses.js'
import { usage } from './0037-usage.js'
import { compatibleVersions } from './0039-compatible-versions.js'
import { traceparent } from './0040-traceparent.js'
import { closedClaims } from './0041-closed-claims.js'
import { dueWork } from './0042-due-work.js'
import { lighterWrites } from './0043-lighter-writes.js'
import { embeddingTurns } from './0044-embedding-turns.js'
import { renames } from './0045-renames.js'

/** In order; one that has landed is never edited. */
export const migrations: readonly Migration[] = [
  foundation,
  search,
  webhooks,
  embeddings,
  sharedTables,
  eventOrigin,
  secretKeys,
  streamTickets,
  agentWork,
  auditAndQuotas,
  deletions,
  history,
  consoleSessions,
  keptBytes,
  commitCounts,
  eventTenants,
  erasures,
  inbox,
  questions,
  handles,
  checks,
  formerPlaces,
  knowledgeLifecycle,
  lastUsers,
  inboxIndex,
  resources,
  moves,
  ranks,
  statuses,
  longTexts,
  roles,
  signIn,
  sessionWrites,
  pauses,
  usage,
  compatibleVersions,
  traceparent,
  closedClaims,
  dueWork,
  lighterWrites,
  embeddingTurns,
  renames,
]
