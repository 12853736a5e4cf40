import type { Limits } from './limits.js'
import { createListing, type Listing } from './listing.js'
import type { CallOptions, WorkloreOptions } from './options.js'
import { type Audit, createAudit } from './resources/audit.js'
import { createEvents, type Events } from './resources/events.js'
import { createHistory, type History } from './resources/history.js'
import { createKeys, type Keys } from './resources/keys.js'
import type { Knowledge } from './resources/knowledge.js'
import { createProjects, type Projects } from './resources/projects.js'
import { createReservations, type Reservations } from './resources/reservations.js'
import { createSessions, type Sessions } from './resources/sessions.js'
import { createTenant, type TenantResource } from './resources/tenant.js'
import { createTrash, type Trash } from './resources/trash.js'
import { createUsers, type Users } from './resources/users.js'
import { createWebhooks, type Webhooks } from './resources/webhooks.js'
import { createTransport, fencedBy, type Request, type Transport } from './transport.js'
import type { GetUsageQuery, Me, SearchEverythingAnswer, SearchEverythingQuery, Usage } from './types.gen.js'
import { createInbox, type Inbox, type Questions } from './waiting.js'
import { createWorkView, type Tasks, type WorkView } from './work-view.js'

export type SearchFilters = Omit<SearchEverythingQuery, 'q'>

export class Worklore implements WorkView {
  readonly tasks: Tasks
  readonly questions: Questions
  readonly knowledge: Knowledge
  readonly batch: WorkView['batch']
  readonly reservations: Reservations
  readonly inbox: Inbox
  readonly projects: Projects
  readonly users: Users
  readonly keys: Keys
  readonly tenant: TenantResource
  readonly events: Events
  readonly webhooks: Webhooks
  readonly audit: Audit
  readonly sessions: Sessions
  readonly history: History
  readonly trash: Trash
  readonly #transport: Transport

  constructor(options: WorkloreOptions = {}) {
    const transport = createTransport(options)
    this.#transport = transport
    const { tasks, questions, knowledge, batch } = createWorkView(transport)
    this.tasks = tasks
    this.questions = questions
    this.knowledge = knowledge
    this.batch = batch
    this.reservations = createReservations(transport)
    this.inbox = createInbox(transport)
    this.projects = createProjects(transport)
    this.users = createUsers(transport)
    this.keys = createKeys(transport)
    this.tenant = createTenant(transport)
    this.events = createEvents(transport)
    this.webhooks = createWebhooks(transport)
    this.audit = createAudit(transport)
    this.sessions = createSessions(transport)
    this.history = createHistory(transport)
    this.trash = createTrash(transport)
  }

  /** Returns the key, its scopes and what is left of its limits. */
  me(options: CallOptions = {}): Promise<Me> {
    return this.#transport.fetchData({ method: 'GET', path: '/v1/me', ...options })
  }

  /** Returns requests, refusals and outcomes of claims by key, project or time. Requires an admin key. */
  usage(query: GetUsageQuery = {}, options: CallOptions = {}): Promise<Usage> {
    return this.#transport.fetchData({ method: 'GET', path: '/v1/usage', query, ...options })
  }

  /** Searches tasks and knowledge together, best match first. */
  search(q: string, filters: SearchFilters = {}, options: CallOptions = {}): Listing<SearchEverythingAnswer> {
    return createListing(this.#transport, '/v1/search', { q, ...filters }, options)
  }

  /** Sends any request with the usual retries, and returns the whole response body. */
  request<T>(request: Request): Promise<T> {
    return this.#transport.send(request)
  }

  /** Returns a view of the service in which every write requires the claim with this token. */
  fenced(token: string): WorkView {
    return createWorkView(fencedBy(this.#transport, token))
  }

  /** The rate limit reported by the last response; undefined before the first. */
  get limits(): Limits | undefined {
    return this.#transport.limits
  }
}
