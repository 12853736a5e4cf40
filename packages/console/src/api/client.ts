import type { ApiRequest, CallOptions, GetUsageQuery, Me, Usage, WorkloreOptions } from 'worklore-client'
import * as resources from 'worklore-client/resources'

/** Creates a client of the API without what the console does not use, such as claims and batches. */
export const createClient = (options: WorkloreOptions) => {
  const transport = resources.createTransport(options)
  return {
    tasks: resources.createTaskRecords(transport),
    questions: resources.createQuestionRecords(transport),
    knowledge: resources.createKnowledge(transport),
    inbox: resources.createInboxRecords(transport),
    projects: resources.createProjects(transport),
    users: resources.createUsers(transport),
    keys: resources.createKeys(transport),
    tenant: resources.createTenant(transport),
    events: resources.createEvents(transport),
    webhooks: resources.createWebhooks(transport),
    reservations: resources.createReservations(transport),
    audit: resources.createAudit(transport),
    sessions: resources.createSessions(transport),
    history: resources.createHistory(transport),
    trash: resources.createTrash(transport),
    me: (call?: CallOptions): Promise<Me> => transport.fetchData({ method: 'GET', path: '/v1/me', ...call }),
    usage: (query: GetUsageQuery, call?: CallOptions): Promise<Usage> =>
      transport.fetchData({ method: 'GET', path: '/v1/usage', query, ...call }),
    request: <T>(request: ApiRequest): Promise<T> => transport.send(request),
  }
}

export interface Client extends ReturnType<typeof createClient> {}
