import { Link } from '@tanstack/react-router'
import { Fragment, type ReactNode } from 'react'
import type { FoundTask, KnowledgeHit } from 'worklore-client'
import { LabelChip } from '../components/avatar'
import { Icon, PriorityIcon, StatusIcon } from '../components/icons'
import { Time } from '../components/time'
import { itemLink } from '../item-link'
import { Badges } from '../lifecycle/badges'
import { plainLine } from '../markdown/plain-text'
import { withTask } from '../query'

export const TaskHit = ({ task, projectName }: { task: FoundTask; projectName: string | undefined }): ReactNode => (
  <li>
    <Link to="." search={withTask(task.id)} className="hit" activeProps={{}}>
      <StatusIcon status={task.statusCategory} />
      <span className="hit-main">
        <span className="hit-title">
          <span className="card-id">{task.id}</span> {task.title}
        </span>
        <span className="hit-meta">
          <PriorityIcon priority={task.priority} size={12} />
          {projectName && <span>{projectName}</span>}
          {task.assignee && <span>{task.assignee.name}</span>}
          {task.labels.slice(0, 3).map((label) => (
            <LabelChip key={label} label={label} />
          ))}
          {task.stale.length > 0 && <span className="badge amber">stale</span>}
          {task.matched?.includes('comments') && <span className="badge">in comments</span>}
          <Time at={task.updatedAt} />
        </span>
      </span>
    </Link>
  </li>
)

const withoutEscapes = (text: string): string =>
  text.replace(
    /&(lt|gt|quot|amp|#39|#x27);/g,
    (_, name: string) => ({ lt: '<', gt: '>', quot: '"', amp: '&' })[name] ?? "'",
  )

/** Characters of nobody's text that stand for where a match begins and ends. */
const [markStart, markEnd] = ['\ue000', '\ue001']

/** The service escapes the passage and puts matches into `<mark>`; here both become elements and plain text again. */
const Snippet = ({ text }: { text: string }): ReactNode => {
  const marked = withoutEscapes(text.replaceAll('<mark>', markStart).replaceAll('</mark>', markEnd))
  return plainLine(marked)
    .split(/[\ue000\ue001]/)
    .map((part, index) =>
      index % 2 === 1 ? (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity but their place
        <mark key={index}>{part}</mark>
      ) : (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity but their place
        <Fragment key={index}>{part}</Fragment>
      ),
    )
}

export const ItemHit = ({ hit, projectKey }: { hit: KnowledgeHit; projectKey: string | undefined }): ReactNode => (
  <li>
    <Link {...itemLink(hit.key, projectKey)} className="hit" activeProps={{}}>
      <Icon name="document" size={14} />
      <span className="hit-main">
        <span className="hit-title">
          {hit.title && `${hit.title} · `}
          {hit.key} <Badges state={hit.state} trust={hit.trust} />
        </span>
        <span className="hit-snippet">
          <Snippet text={hit.snippet} />
        </span>
        <span className="hit-meta">
          <span>{projectKey ?? 'Shared'}</span>
          {hit.tags.slice(0, 3).map((tag) => (
            <LabelChip key={tag} label={tag} />
          ))}
          {hit.foundBy !== undefined && <span>replaces {hit.foundBy}, which matched</span>}
          <Time at={hit.updatedAt} />
        </span>
      </span>
    </Link>
  </li>
)
