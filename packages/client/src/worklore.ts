import type { Limits } from './limits.js'
import type { CallOptions, WorkloreOptions } from './options.js'
import { createEvents, type Events } from './resources/events.js'
import { createKeys, type Keys } from './resources/keys.js'
import { createKnowledge, type Knowledge } from './resources/knowledge.js'
import { createProjects, type Projects } from './resources/projects.js'
import { createTasks, type Tasks } from './resources/tasks.js'
import { createUsers, type Users } from './resources/users.js'
import { createWebhooks, type Webhooks } from './resources/webhooks.js'
import { createTransport, type Transport } from './transport.js'
import type { Me } from './types.gen.js'

export class Worklore {
  readonly tasks: Tasks
  readonly knowledge: Knowledge
  readonly projects: Projects
  readonly users: Users
  readonly keys: Keys
  readonly events: Events
  readonly webhooks: Webhooks
  readonly #transport: Transport

  constructor(options: WorkloreOptions) {
    const transport = createTransport(options)
    this.#transport = transport
    this.tasks = createTasks(transport)
    this.knowledge = createKnowledge(transport)
    this.projects = createProjects(transport)
    this.users = createUsers(transport)
    this.keys = createKeys(transport)
    this.events = createEvents(transport)
    this.webhooks = createWebhooks(transport)
  }

  /** Who the key is, what it may do and what is left of its limits. */
  me(options: CallOptions = {}): Promise<Me> {
    return this.#transport.fetchData({ method: 'GET', path: '/v1/me', ...options })
  }

  /** The rate limit as the last answer told it; undefined before the first. */
  get limits(): Limits | undefined {
    return this.#transport.limits
  }
}
