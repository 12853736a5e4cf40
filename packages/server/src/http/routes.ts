import * as audit from '../changelog/audit/operations.js'
import type { Core } from '../operations/core.js'
import * as deletions from '../recovery/deletions/operations.js'
import * as history from '../recovery/history/operations.js'
import * as trash from '../recovery/trash/operations.js'
import * as undo from '../recovery/undo/operations.js'
import * as events from '../subscribers/events/operations.js'
import * as inbox from '../subscribers/inbox/operations.js'
import * as search from '../subscribers/search/operations.js'
import * as deliveries from '../subscribers/webhooks/delivery/operations.js'
import * as webhooks from '../subscribers/webhooks/operations.js'
import * as keys from '../tenancy/keys/operations.js'
import * as sessions from '../tenancy/keys/sessions/operations.js'
import * as me from '../tenancy/me/operations.js'
import * as members from '../tenancy/projects/members/operations.js'
import * as projects from '../tenancy/projects/operations.js'
import * as tenants from '../tenancy/tenants/operations.js'
import * as users from '../tenancy/users/operations.js'
import * as context from '../work/context/operations.js'
import * as links from '../work/knowledge/links/operations.js'
import * as knowledge from '../work/knowledge/operations.js'
import * as reliance from '../work/reliance/operations.js'
import * as checks from '../work/tasks/checks/operations.js'
import * as claims from '../work/tasks/claims/operations.js'
import * as comments from '../work/tasks/comments/operations.js'
import * as moves from '../work/tasks/move/operations.js'
import * as tasks from '../work/tasks/operations.js'
import * as questions from '../work/tasks/questions/operations.js'
import * as ranks from '../work/tasks/rank/operations.js'
import * as resources from '../work/tasks/resources/operations.js'
import * as usage from '../work/usage/operations.js'
import { createEventStream } from './api/event-stream.js'
import { type Route, route } from './route.js'

/** Every operation that HTTP offers, and where. */
export const createRoutes = (core: Core): readonly Route[] => [
  route('GET /v1/tasks', tasks.listTasks),
  route('GET /v1/tasks/cards', tasks.listTaskCards),
  route('GET /v1/tasks/counts', tasks.countTasks),
  route('GET /v1/tasks/search', tasks.searchTasks),
  route('GET /v1/tasks/:taskId', tasks.getTask),
  route('GET /v1/tasks/:taskId/similar', tasks.similarTasks),
  route('POST /v1/tasks', tasks.createTask, { body: 'task', status: 201, location: '/v1/tasks/:id' }),
  route('PATCH /v1/tasks/:taskId', tasks.updateTask, { body: 'patch' }),
  route('DELETE /v1/tasks/:taskId', tasks.deleteTask),
  route('POST /v1/tasks/:taskId/move', moves.moveTask, { body: 'move' }),
  route('POST /v1/tasks/:taskId/rank', ranks.rankTask, { body: 'rank' }),

  route('POST /v1/tasks/next', claims.nextTask, { body: 'request' }),
  route('POST /v1/tasks/:taskId/claim', claims.claimTask, { body: 'request' }),
  route('POST /v1/tasks/:taskId/renew', claims.renewClaim, { body: 'request' }),
  route('POST /v1/tasks/:taskId/release', claims.releaseClaim, { body: 'request' }),
  route('GET /v1/resources', resources.listReservations),
  route('POST /v1/tasks/:taskId/checks/:checkId', checks.decideCheck, { body: 'decision' }),
  route('GET /v1/tasks/:taskId/comments', comments.listComments),
  route('POST /v1/tasks/:taskId/comments', comments.createComment, {
    body: 'comment',
    status: 201,
    location: '/v1/tasks/:taskId/comments/:id',
  }),
  route('GET /v1/tasks/:taskId/comments/:commentId', comments.getComment),
  route('PATCH /v1/tasks/:taskId/comments/:commentId', comments.updateComment, { body: 'comment' }),
  route('DELETE /v1/tasks/:taskId/comments/:commentId', comments.deleteComment),

  route('POST /v1/tasks/:taskId/questions', questions.askQuestion, {
    body: 'question',
    status: 201,
    location: '/v1/questions/:id',
  }),
  route('GET /v1/questions', questions.listQuestions),
  route('GET /v1/questions/:questionId', questions.getQuestion),
  route('POST /v1/questions/:questionId/answer', questions.answerQuestion, { body: 'answer' }),
  route('POST /v1/questions/:questionId/withdraw', questions.withdrawQuestion),

  route('GET /v1/knowledge', knowledge.listKnowledge),
  route('GET /v1/knowledge/search', knowledge.searchKnowledge),
  route('GET /v1/knowledge/*', knowledge.getKnowledge),
  route('PUT /v1/knowledge/*', knowledge.putKnowledge, {
    body: 'item',
    status: [200, 201],
    location: '/v1/knowledge/:id',
  }),
  route('PATCH /v1/knowledge/*', knowledge.patchKnowledge, { body: 'patch' }),
  route('DELETE /v1/knowledge/*', knowledge.deleteKnowledge),
  route('POST /v1/knowledge/verdict', knowledge.judgeKnowledge, { body: 'verdict' }),
  route('POST /v1/knowledge/retract', knowledge.retractKnowledge, { body: 'retraction' }),
  route('POST /v1/knowledge/stale/accept', reliance.acceptStaleKnowledge, { body: 'accepted' }),
  route('GET /v1/dependents', reliance.listDependents),
  route('POST /v1/knowledge/move', knowledge.moveKnowledge, { body: 'move' }),

  route('GET /v1/links', links.listKnowledgeLinks),
  route('GET /v1/tasks/:taskId/context', context.getTaskContext),
  route('GET /v1/tasks/:taskId/basis', reliance.listBasis),
  route('POST /v1/tasks/:taskId/stale/accept', reliance.acceptStaleTask),

  route('GET /v1/search', search.searchEverything),

  route('GET /v1/projects', projects.listProjects),
  route('GET /v1/projects/:projectId', projects.getProject),
  route('POST /v1/projects', projects.createProject, { body: 'project', status: 201, location: '/v1/projects/:id' }),
  route('PATCH /v1/projects/:projectId', projects.updateProject, { body: 'patch' }),
  route('DELETE /v1/projects/:projectId', deletions.deleteProject),
  route('GET /v1/projects/:projectId/members', members.listMembers),
  route('PUT /v1/projects/:projectId/members/:userId', members.setMember, { body: 'member' }),
  route('DELETE /v1/projects/:projectId/members/:userId', members.removeMember),

  route('GET /v1/users', users.listUsers),
  route('GET /v1/users/:userId', users.getUser),
  route('POST /v1/users', users.createUser, { body: 'user', status: 201, location: '/v1/users/:id' }),
  route('PATCH /v1/users/:userId', users.updateUser, { body: 'patch' }),
  route('DELETE /v1/users/:userId', deletions.deleteUser),

  route('GET /v1/keys', keys.listKeys),
  route('GET /v1/keys/:keyId', keys.getKey),
  route('POST /v1/keys', keys.createKey, { body: 'apiKey', status: 201, location: '/v1/keys/:id' }),
  route('PATCH /v1/keys/:keyId', keys.updateKey, { body: 'patch' }),
  route('DELETE /v1/keys/:keyId', keys.revokeKey),
  route('POST /v1/keys/:keyId/rotate', keys.rotateKey, { body: 'rotation', location: '/v1/keys/:id' }),
  route('POST /v1/keys/revoke', keys.revokeSecret, { body: 'leaked' }),

  route('POST /v1/keys/:keyId/console-link', sessions.createConsoleLink, { body: 'options' }),
  route('GET /v1/sessions', sessions.listSessions),
  route('DELETE /v1/sessions/:sessionId', sessions.endSession),

  route('GET /v1/events', events.listEvents),
  route('GET /v1/events/stream', events.streamEvents, {
    mediaType: 'text/event-stream',
    handler: createEventStream(core),
  }),

  route('GET /v1/inbox', inbox.listInbox),
  route('POST /v1/inbox/read', inbox.readInbox, { body: 'request' }),

  route('GET /v1/webhooks', webhooks.listWebhooks),
  route('GET /v1/webhooks/:webhookId', webhooks.getWebhook),
  route('POST /v1/webhooks', webhooks.createWebhook, { body: 'webhook', status: 201, location: '/v1/webhooks/:id' }),
  route('PATCH /v1/webhooks/:webhookId', webhooks.updateWebhook, { body: 'patch' }),
  route('DELETE /v1/webhooks/:webhookId', webhooks.deleteWebhook),
  route('POST /v1/webhooks/:webhookId/rotate-secret', webhooks.rotateWebhookSecret, {
    body: 'rotation',
    location: '/v1/webhooks/:id',
  }),
  route('GET /v1/webhooks/:webhookId/deliveries', deliveries.listWebhookDeliveries),
  route('GET /v1/webhooks/:webhookId/deliveries/:deliveryId', deliveries.getWebhookDelivery),
  route('POST /v1/webhooks/:webhookId/deliveries/:deliveryId/redeliver', deliveries.redeliverWebhookDelivery, {
    status: 202,
    location: '/v1/webhooks/:webhookId/deliveries/:id',
  }),
  route('POST /v1/webhooks/:webhookId/ping', deliveries.pingWebhook, {
    status: 202,
    location: '/v1/webhooks/:webhookId/deliveries/:id',
  }),
  route('POST /v1/webhooks/:webhookId/replay', deliveries.replayWebhook, { body: 'range', status: 202 }),

  route('GET /v1/tasks/:taskId/history', history.getTaskHistory),
  route('GET /v1/history', history.listHistory),
  route('POST /v1/history/restore', history.restoreVersion, { body: 'restore' }),

  route('GET /v1/trash', trash.listTrash),
  route('POST /v1/trash/:entryId/restore', trash.restoreTrashEntry),
  route('DELETE /v1/trash', trash.emptyTrash),
  route('DELETE /v1/trash/:entryId', trash.purgeTrashEntry),

  route('POST /v1/undo', undo.undo, { body: 'undo' }),

  route('GET /v1/audit', audit.listAudit),

  route('GET /v1/usage', usage.getUsage),

  route('GET /v1/me', me.getMe),

  route('GET /v1/tenant', tenants.getTenant),
  route('PATCH /v1/tenant', tenants.updateTenant, { body: 'patch' }),
]
