import { useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import type { Project } from 'worklore-client'
import { useProjects } from '../store/records'

const storageKey = 'worklore.project'

/** The project of the address, else the one looked at last, else the first. */
export const useCurrentProject = (): Project | undefined => {
  const projects = useProjects()
  const list = projects.list
  const { project: key } = useParams({ strict: false }) as { project?: string }
  useEffect(() => {
    if (key) localStorage.setItem(storageKey, key)
  }, [key])
  const wanted = key ?? localStorage.getItem(storageKey)
  return list.find((project) => project.key === wanted) ?? list[0]
}
