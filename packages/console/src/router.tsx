import {
  type AnyRoute,
  type AnyRouter,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
} from '@tanstack/react-router'
import { NotFoundPage } from './pages/not-found'
import { formatQuery, parseQuery, type Query } from './query'
import { PageFailure } from './shell/page-failure'
import { Shell } from './shell/shell'

const rootRoute = createRootRoute({
  component: Shell,
  notFoundComponent: NotFoundPage,
  validateSearch: (search: Record<string, unknown>): Query => search as Query,
})

const route = (path: string, component: Parameters<typeof createRoute>[0]['component']) =>
  createRoute({ getParentRoute: () => rootRoute, path, component } as never)

const routes = [
  route(
    '/',
    lazyRouteComponent(() => import('./pages/overview'), 'OverviewPage'),
  ),
  route(
    '/p/$project',
    lazyRouteComponent(() => import('./pages/board'), 'BoardPage'),
  ),
  route(
    '/p/$project/board',
    lazyRouteComponent(() => import('./pages/board'), 'BoardPage'),
  ),
  route(
    '/p/$project/list',
    lazyRouteComponent(() => import('./pages/list'), 'ListPage'),
  ),
  route(
    '/p/$project/tree',
    lazyRouteComponent(() => import('./pages/tree'), 'TreePage'),
  ),
  route(
    '/k',
    lazyRouteComponent(() => import('./pages/knowledge'), 'KnowledgePage'),
  ),
  route(
    '/k/$',
    lazyRouteComponent(() => import('./pages/knowledge'), 'KnowledgePage'),
  ),
  route(
    '/search',
    lazyRouteComponent(() => import('./pages/search'), 'SearchPage'),
  ),
  route(
    '/events',
    lazyRouteComponent(() => import('./pages/events'), 'EventsPage'),
  ),
  route(
    '/agents',
    lazyRouteComponent(() => import('./pages/agents'), 'AgentsPage'),
  ),
  route(
    '/agents/$keyId',
    lazyRouteComponent(() => import('./pages/agent'), 'AgentPage'),
  ),
  route(
    '/trash',
    lazyRouteComponent(() => import('./pages/trash'), 'TrashPage'),
  ),
  route(
    '/projects',
    lazyRouteComponent(() => import('./pages/projects'), 'ProjectsPage'),
  ),
  route(
    '/keys',
    lazyRouteComponent(() => import('./pages/keys'), 'KeysPage'),
  ),
  route(
    '/webhooks',
    lazyRouteComponent(() => import('./pages/webhooks'), 'WebhooksPage'),
  ),
  route(
    '/webhooks/$webhookId',
    lazyRouteComponent(() => import('./pages/webhook'), 'WebhookPage'),
  ),
  route(
    '/usage',
    lazyRouteComponent(() => import('./pages/usage'), 'UsagePage'),
  ),
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
