import { counterMark } from './load-protocol.js'
import { folderOf, itemContent, itemKey, labels, projectKeys, statuses, taskIdAt, taskInput } from './records.js'
import { coldRequest, getRequest, jsonRequest } from './requests.js'
import { commonWord, createRandom, rareWord } from './texts.js'
import type { World } from './world.js'

export interface Operation {
  name: string
  /** At most this many times the CPU of bare Fastify, with embedded SQLite and 10,000 records. */
  target: number
  /** At most this many times the CPU at 10,000 records when there are 1,000,000. */
  growthTarget?: number
  isSearch?: true
  isWrite?: true
  /** What each connection sends once, before anything is counted. */
  opening?: string
  /** The n-th request, or several joined by `stepMark`. */
  request(world: World, random: () => number, at: number): string
}

const anyOf = <T>(random: () => number, values: readonly T[]): T => values[Math.floor(random() * values.length)]!
const anyAt = (world: World, random: () => number): number => Math.floor(random() * world.records)

const commonTaskSearch = (random: () => number): string =>
  `/v1/tasks/search?q=${commonWord(random)}+${commonWord(random)}`

const retitle = (world: World, random: () => number): string =>
  jsonRequest('PATCH', `/v1/tasks/${taskIdAt(anyAt(world, random))}`, {
    title: `Retitled ${counterMark}`,
    status: anyOf(random, statuses),
  })

const tasksOfProject = (random: () => number): string =>
  `/v1/tasks?projectId=${anyOf(random, projectKeys)}&status=${anyOf(random, statuses)}`

/** Among lists and searches. */
const requestsPerWrite = 10

export const operations: readonly Operation[] = [
  {
    name: 'get a task',
    target: 2.2,
    growthTarget: 1.5,
    request: (world, random) => getRequest(`/v1/tasks/${taskIdAt(anyAt(world, random))}`),
  },
  {
    name: 'list 50 tasks by project and status',
    target: 5,
    growthTarget: 2,
    request: (_world, random) => coldRequest(tasksOfProject(random)),
  },
  {
    name: 'the same list, polled while nothing is written',
    target: 2,
    growthTarget: 1.5,
    request: (_world, random) => getRequest(tasksOfProject(random)),
  },
  {
    name: 'list 50 tasks by label and assignee',
    target: 5,
    growthTarget: 2,
    request: (world, random) =>
      coldRequest(`/v1/tasks?label=${anyOf(random, labels)}&assignee=${anyOf(random, world.userIds)}`),
  },
  {
    name: 'deep page of tasks by cursor',
    target: 5,
    growthTarget: 1.5,
    request: (world, random) => coldRequest(`/v1/tasks?limit=50&cursor=${anyOf(random, world.cursors)}`),
  },
  {
    name: 'search tasks, common words',
    target: 15,
    growthTarget: 5,
    isSearch: true,
    request: (_world, random) => coldRequest(commonTaskSearch(random)),
  },
  {
    name: 'search tasks, one common word, polled while nothing is written',
    target: 2,
    growthTarget: 1.5,
    isSearch: true,
    request: (_world, random) => getRequest(`/v1/tasks/search?q=${commonWord(random)}`),
  },
  {
    name: 'search tasks, rare words',
    target: 15,
    growthTarget: 5,
    isSearch: true,
    request: (_world, random) => coldRequest(`/v1/tasks/search?q=${rareWord(random)}+${rareWord(random)}`),
  },
  {
    name: 'get a knowledge item',
    target: 2.2,
    growthTarget: 1.5,
    request: (world, random) => getRequest(`/v1/knowledge/${itemKey(anyAt(world, random))}`),
  },
  {
    name: 'list 50 knowledge items by prefix',
    target: 5,
    growthTarget: 2,
    request: (world, random) => coldRequest(`/v1/knowledge?prefix=${folderOf(anyAt(world, random))}/&limit=50`),
  },
  {
    name: 'search knowledge, common words',
    target: 15,
    growthTarget: 5,
    isSearch: true,
    request: (_world, random) => coldRequest(`/v1/knowledge/search?q=${commonWord(random)}+${commonWord(random)}`),
  },
  {
    name: 'search knowledge, rare words',
    target: 15,
    growthTarget: 5,
    isSearch: true,
    request: (_world, random) => coldRequest(`/v1/knowledge/search?q=${rareWord(random)}+${rareWord(random)}`),
  },
  {
    name: 'patch a task',
    target: 7,
    isWrite: true,
    request: retitle,
  },
  {
    name: 'put a knowledge item',
    target: 5,
    isWrite: true,
    request: (world, random, at) =>
      jsonRequest('PUT', `/v1/knowledge/${itemKey(anyAt(world, random))}`, {
        content: `${counterMark} ${itemContent(at)}`,
      }),
  },
  {
    name: 'list 50 tasks by project and status, a tenth of the requests writing',
    target: 6,
    isWrite: true,
    request: (world, random, at) =>
      (at + 1) % requestsPerWrite === 0 ? retitle(world, random) : getRequest(tasksOfProject(random)),
  },
  {
    name: 'create a task',
    target: 6,
    isWrite: true,
    request: (world, _random, at) => {
      const input = taskInput(at, world.userIds)
      return jsonRequest('POST', '/v1/tasks', { ...input, title: `${input.title} ${counterMark}` })
    },
  },
  {
    name: 'search tasks, common words, a tenth of the requests writing',
    target: 15,
    growthTarget: 5,
    isSearch: true,
    request: (world, random, at) =>
      (at + 1) % requestsPerWrite === 0 ? retitle(world, random) : getRequest(commonTaskSearch(random)),
  },
  {
    name: 'search tasks, common words, after the writes',
    target: 15,
    growthTarget: 5,
    isSearch: true,
    request: (_world, random) => coldRequest(commonTaskSearch(random)),
  },
]

/** Enough different requests that no cache of one answer can help. */
const requestCount = 4_000

export const requestsOf = (operation: Operation, world: World): string[] => {
  const random = createRandom(operation.name.length)
  return Array.from({ length: requestCount }, (_, at) => operation.request(world, random, at))
}
