import { useParams } from '@tanstack/react-router'
import { listOf, type Query, useQuery } from '../../query'
import { findStatus } from '../../store/cards/statuses'
import { categoryNames } from '../../store/cards/task-card'
import { useProjects } from '../../store/records'

/** The query of the address without statuses that the project does not have, or no project where all are shown. */
export const useKnownQuery = (): Query => {
  const { status, ...query } = useQuery()
  const { project: key } = useParams({ strict: false }) as { project?: string }
  const projects = useProjects().list
  const isKnown = (value: string): boolean =>
    Object.hasOwn(categoryNames, value) ||
    projects.some((project) => (key ?? project.key) === project.key && findStatus(project, value))
  return { ...query, status: listOf(status).filter(isKnown).join(',') || undefined }
}
