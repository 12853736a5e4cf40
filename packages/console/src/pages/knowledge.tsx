import { useNavigate, useParams } from '@tanstack/react-router'
import { type ReactNode, Suspense, useState } from 'react'
import { canWriteKnowledge, hasScope } from '../api/permissions'
import { Button, IconButton } from '../components/button'
import { MissingScope } from '../components/states'
import { useKeys } from '../keyboard/use-keys'
import { KnowledgeItemView } from '../knowledge/knowledge-item'
import { KnowledgeTree } from '../knowledge/knowledge-tree'
import { Page } from '../layout/page'
import { useQuery } from '../query'
import { useObservable } from '../store/base/observable'
import { useConsole } from '../store/console'
import { useKnowledgeView, useMe, useProjects } from '../store/records'
import '../styles/knowledge.css'
import '../styles/prose.css'
import { onDemand } from '../components/on-demand'

const NoKnowledge = onDemand(() =>
  import('../knowledge/no-knowledge').then(({ NoKnowledge }) => ({ default: NoKnowledge })),
)
const RecentChanges = onDemand(() =>
  import('../knowledge/recent-changes').then(({ RecentChanges }) => ({ default: RecentChanges })),
)
const NewItem = onDemand(() => import('../knowledge/new-item').then(({ NewItem }) => ({ default: NewItem })))

const Knowledge = (): ReactNode => {
  const { knowledge } = useConsole()
  const known = useKnowledgeView()
  const projects = useProjects()
  const me = useMe()
  const list = projects.list
  const load = useObservable(knowledge.state)
  const navigate = useNavigate()
  const { _splat: key } = useParams({ strict: false }) as { _splat?: string }
  const { project: projectKey, view, state, tag } = useQuery()
  /** Where there is no room for both, the tree hides what is beside it. */
  const isTreeFirst = !key && Boolean(view ?? state ?? tag)
  const [isCreating, setIsCreating] = useState(false)
  const project = list.find((each) => each.key === projectKey)
  const projectId = project?.id ?? null
  const canCreate = hasScope(me, 'knowledge:write') && (me.projects === null || me.projects.length > 0)
  useKeys({ ...(canCreate && { c: () => setIsCreating(true) }) })
  const isEmpty = load.isComplete && known.entries().next().done === true

  return (
    <Page
      title={key || 'Knowledge'}
      heading={
        <>
          <IconButton
            icon={isTreeFirst ? 'history' : 'list'}
            label={isTreeFirst ? 'Recent changes' : 'All knowledge'}
            className="phone-only"
            onClick={() => void navigate({ to: '/k', search: { view: isTreeFirst ? undefined : 'items' } as never })}
          />
          <span className="truncate">Knowledge</span>
        </>
      }
      actions={
        canCreate && (
          <Button kind="primary" icon="plus" onClick={() => setIsCreating(true)} aria-label="New item">
            <span className="desktop-only">New item</span>
          </Button>
        )
      }
    >
      <div className="knowledge" data-open={!isTreeFirst}>
        <div className="knowledge-side">
          {isEmpty ? null : <KnowledgeTree current={key ? { key, projectId } : null} />}
        </div>
        <div className="knowledge-main">
          {key ? (
            <KnowledgeItemView
              key={`${projectId}:${key}`}
              itemKey={key}
              projectId={projectId}
              canWrite={canWriteKnowledge(me, projectId)}
            />
          ) : isEmpty ? (
            <Suspense>
              <NoKnowledge />
            </Suspense>
          ) : (
            <Suspense>
              <RecentChanges />
            </Suspense>
          )}
        </div>
      </div>
      {isCreating && (
        <Suspense>
          <NewItem {...(key && { near: key })} projectId={projectId} onClose={() => setIsCreating(false)} />
        </Suspense>
      )}
    </Page>
  )
}

export const KnowledgePage = (): ReactNode => {
  const { me } = useConsole()
  if (hasScope(useObservable(me), 'knowledge:read')) return <Knowledge />
  return (
    <Page title="Knowledge">
      <MissingScope scope="knowledge:read" what="the knowledge" />
    </Page>
  )
}
