import { recordPath } from '../address.js'
import { createListing, type Listing } from '../listing.js'
import type { CallOptions, PostOptions } from '../options.js'
import { type Removed, remove } from '../removal.js'
import type { Transport } from '../transport.js'
import type {
  CreateProjectBody,
  ListMembersAnswer,
  ListMembersQuery,
  ListProjectsAnswer,
  ListProjectsQuery,
  Member,
  Project,
  UpdateProjectBody,
} from '../types.gen.js'
import { type Updater, updateByFunction, type VersionOptions, versionHeaders } from '../versions.js'

export interface ProjectDeleteOptions extends VersionOptions {
  /** Deletes the project's tasks and items too. */
  force?: boolean | undefined
}

/** Projects, named by id or key. */
export interface Projects {
  create(project: CreateProjectBody, options?: PostOptions): Promise<Project>
  get(id: string, options?: CallOptions): Promise<Project>
  list(query?: ListProjectsQuery, options?: CallOptions): Listing<ListProjectsAnswer>
  /** Changes the given fields. A function receives the current project, and runs again if somebody else changed it meanwhile. */
  update(
    id: string,
    change: UpdateProjectBody | Updater<Project, UpdateProjectBody>,
    options?: VersionOptions,
  ): Promise<Project>
  delete(id: string, options?: ProjectDeleteOptions): Promise<Removed>
  /** Lists the users with a role in a project. */
  members(id: string, query?: ListMembersQuery, options?: CallOptions): Listing<ListMembersAnswer>
  setMember(id: string, userId: string, role: Member['role'], options?: CallOptions): Promise<Member>
  removeMember(id: string, userId: string, options?: CallOptions): Promise<Removed<{ userId: string }>>
}

export const createProjects = (transport: Transport): Projects => {
  const get: Projects['get'] = async (id, options) =>
    transport.fetchData({ method: 'GET', path: recordPath('projects', id), ...options })

  const patch = (id: string, body: UpdateProjectBody, options: VersionOptions): Promise<Project> =>
    transport.fetchData({
      method: 'PATCH',
      path: recordPath('projects', id),
      body,
      headers: versionHeaders(options),
      ...options,
    })

  return {
    create: (body, options) => transport.fetchData({ method: 'POST', path: '/v1/projects', body, ...options }),
    get,
    list: (query = {}, options = {}) => createListing(transport, '/v1/projects', query, options),
    update: async (id, change, options = {}) =>
      typeof change === 'function'
        ? updateByFunction(
            () => get(id, options),
            change,
            (body, project) => patch(id, body, { ...options, ifMatch: project }),
            options.signal,
          )
        : patch(id, change, options),
    delete: async (id, { force, ...options } = {}) =>
      remove(transport, recordPath('projects', id), { id }, options, { force }),
    members: (id, query = {}, options = {}) =>
      createListing(transport, recordPath('projects', id, 'members'), query, options),
    setMember: async (id, userId, role, options) =>
      transport.fetchData({
        method: 'PUT',
        path: recordPath('projects', id, 'members', userId),
        body: { role },
        ...options,
      }),
    removeMember: async (id, userId, options) =>
      remove(transport, recordPath('projects', id, 'members', userId), { userId }, options),
  }
}
