import { recordPath } from '../address.js'
import { createListing, type Listing } from '../listing.js'
import type { CallOptions, PostOptions } from '../options.js'
import { remove } from '../removal.js'
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
import { type Change, updateByFunction, type VersionOptions, versionHeaders } from '../versions.js'

export interface ProjectDeleteOptions extends VersionOptions {
  /** Delete its tasks and items with it. */
  force?: boolean | undefined
}

/** Wherever a project's id is taken, its key is taken too. */
export const createProjects = (transport: Transport) => {
  const get = async (id: string, options: CallOptions = {}): Promise<Project> =>
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
    create: (project: CreateProjectBody, options: PostOptions = {}): Promise<Project> =>
      transport.fetchData({ method: 'POST', path: '/v1/projects', body: project, ...options }),
    get,
    list: (query: ListProjectsQuery = {}, options: CallOptions = {}): Listing<ListProjectsAnswer> =>
      createListing(transport, '/v1/projects', query, options),
    /** Changes the fields given; a function of the project as it is runs again until no one else came between. */
    update: async (
      id: string,
      change: UpdateProjectBody | Change<Project, UpdateProjectBody>,
      options: VersionOptions = {},
    ): Promise<Project> =>
      typeof change === 'function'
        ? updateByFunction(
            () => get(id, options),
            change,
            (body, project) => patch(id, body, { ...options, ifMatch: project }),
            options.signal,
          )
        : patch(id, change, options),
    delete: async (id: string, { force, ...options }: ProjectDeleteOptions = {}) =>
      remove(transport, recordPath('projects', id), { id }, options, { force }),
    /** The users with a role in a project. */
    members: (id: string, query: ListMembersQuery = {}, options: CallOptions = {}): Listing<ListMembersAnswer> =>
      createListing(transport, recordPath('projects', id, 'members'), query, options),
    setMember: async (id: string, userId: string, role: Member['role'], options: CallOptions = {}): Promise<Member> =>
      transport.fetchData({
        method: 'PUT',
        path: recordPath('projects', id, 'members', userId),
        body: { role },
        ...options,
      }),
    removeMember: async (id: string, userId: string, options: CallOptions = {}) =>
      remove(transport, recordPath('projects', id, 'members', userId), { userId }, options),
  }
}

export type Projects = ReturnType<typeof createProjects>
