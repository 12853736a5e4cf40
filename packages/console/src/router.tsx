import {
  type AnyRoute,
  type AnyRouter,
  createRootRoute,
  createRoute,
  createRouter,
  type RouteComponent,
} from '@tanstack/react-router'
import { createElement, type ReactNode, use } from 'react'
import { loadPart } from './components/on-demand'
import { NotFoundPage, PageFailure } from './layout/fallback-pages'
import { formatQuery, parseQuery, type Query } from './query'
import { Shell } from './shell/shell'

const rootRoute = createRootRoute({
  component: Shell,
  notFoundComponent: NotFoundPage,
  validateSearch: (search: Record<string, unknown>): Query => search as Query,
})

/** The router loads it before the page is shown. `lazyRouteComponent` would reload a page that failed in its own way too. */
const pageOf = (load: () => Promise<RouteComponent>): RouteComponent => {
  let loading: Promise<RouteComponent> | undefined
  const preload = (): Promise<RouteComponent> => {
    loading ??= load()
    return loading
  }
  return Object.assign((props: object): ReactNode => createElement(use(preload()), props), { preload }) as never
}

const route = <N extends string>(path: string, load: () => Promise<Record<N, RouteComponent>>, name: N) =>
  createRoute({
    getParentRoute: () => rootRoute,
    path,
    component: pageOf(async () => (await loadPart(load))[name]),
  } as never)

const routes = [
  route('/', () => import('./pages/overview'), 'OverviewPage'),
  route('/inbox', () => import('./pages/inbox'), 'InboxPage'),
  route('/p/$project', () => import('./pages/board'), 'BoardPage'),
  route('/p/$project/board', () => import('./pages/board'), 'BoardPage'),
  route('/p/$project/list', () => import('./pages/list'), 'ListPage'),
  route('/p/$project/tree', () => import('./pages/tree'), 'TreePage'),
  route('/p/$project/graph', () => import('./tasks/graph/graph-page'), 'GraphPage'),
  route('/tasks', () => import('./pages/list'), 'ListPage'),
  route('/tasks/board', () => import('./pages/board'), 'BoardPage'),
  route('/k', () => import('./pages/knowledge'), 'KnowledgePage'),
  route('/k/$', () => import('./pages/knowledge'), 'KnowledgePage'),
  route('/search', () => import('./pages/search'), 'SearchPage'),
  route('/events', () => import('./pages/events'), 'EventsPage'),
  route('/agents', () => import('./pages/agents'), 'AgentsPage'),
  route('/agents/$keyId', () => import('./pages/agent'), 'AgentPage'),
  route('/trash', () => import('./pages/trash'), 'TrashPage'),
  route('/projects', () => import('./pages/projects'), 'ProjectsPage'),
  route('/keys', () => import('./pages/keys'), 'KeysPage'),
  route('/people', () => import('./pages/people'), 'PeoplePage'),
  route('/audit', () => import('./pages/audit'), 'AuditPage'),
  route('/webhooks', () => import('./pages/webhooks'), 'WebhooksPage'),
  route('/webhooks/$webhookId', () => import('./pages/webhook'), 'WebhookPage'),
  route('/usage', () => import('./pages/usage'), 'UsagePage'),
]

export const createConsoleRouter = (): AnyRouter =>
  createRouter({
    routeTree: rootRoute.addChildren(routes as never) as unknown as AnyRoute,
    basepath: '/console',
    parseSearch: (text) => parseQuery(text),
    stringifySearch: (search) => formatQuery(search),
    defaultPreload: 'intent',
    defaultErrorComponent: PageFailure,
    scrollRestoration: false,
  })
