import type { ReactNode } from 'react'
import type { Project } from 'worklore-client'
import { Icon } from '../components/icons'
import { Picker } from '../components/menu'
import { useQuery, useSetQuery } from '../query'
import { useProjects } from '../store/records'

/** The project that the address names. */
export const useFilterProject = (): Project | undefined => {
  const { project } = useQuery()
  return useProjects().list.find(({ key }) => key === project)
}

/** Filters a page by project, in its address. */
export const ProjectFilter = (): ReactNode => {
  const list = useProjects().list
  const project = useFilterProject()
  const setQuery = useSetQuery()
  return (
    <Picker
      label="Project"
      className="bordered"
      isSet={project !== undefined}
      choices={[
        { value: '', label: 'All projects' },
        ...list.map(({ key, name }) => ({ value: key, label: name, hint: key })),
      ]}
      selected={[project?.key ?? '']}
      onChoose={(key) => setQuery({ project: key || undefined }, { replace: true })}
    >
      <Icon name="project" size={14} />
      {project?.name ?? 'All projects'}
    </Picker>
  )
}
