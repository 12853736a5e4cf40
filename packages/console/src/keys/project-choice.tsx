import type { ReactNode } from 'react'
import { useProjects } from '../store/records'

export const toggle = <T,>(list: T[], value: T): T[] =>
  list.includes(value) ? list.filter((each) => each !== value) : [...list, value]

interface ProjectChoiceProps {
  chosen: string[]
  onChange: (chosen: string[]) => void
  isDisabled?: boolean
}

/** The projects that a key is limited to; nothing where there are none yet. */
export const ProjectChoice = ({ chosen, onChange, isDisabled = false }: ProjectChoiceProps): ReactNode => {
  const projects = useProjects().list
  if (projects.length === 0) return null
  return (
    <fieldset className="field">
      <legend>Projects</legend>
      <p className="field-hint">Choose none to allow all of them.</p>
      <div className="check-columns">
        {projects.map((project) => (
          <label key={project.id} className="check">
            <input
              type="checkbox"
              checked={chosen.includes(project.id)}
              disabled={isDisabled}
              onChange={() => onChange(toggle(chosen, project.id))}
            />
            <span className="truncate">{project.name}</span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
