import type { Project } from 'worklore-client'
import { type Category, categories, categoryNames } from './task-card'

/** A status that tasks of a project can have. */
export interface ProjectStatus {
  status: string
  name: string
  category: Category
}

const builtIn: readonly ProjectStatus[] = categories.map((category) => ({
  status: category,
  name: categoryNames[category],
  category,
}))

/** The statuses of a project in the order of work: those of one category together. */
export const statusesOf = (project: Project | undefined): readonly ProjectStatus[] => {
  const own = project?.statuses
  return own ? categories.flatMap((category) => own.filter((each) => each.category === category)) : builtIn
}

/** A status by its name, else the first of a category; undefined for one that the project no longer has, or never had. */
export const findStatus = (project: Project | undefined, name: string, category = name): ProjectStatus | undefined => {
  const statuses = statusesOf(project)
  return statuses.find(({ status }) => status === name) ?? statuses.find((each) => each.category === category)
}

/** The same for one that is known, or whose category is: a card may be shown whose project has just got others. */
export const statusIn = (project: Project | undefined, name: string, category = name): ProjectStatus =>
  findStatus(project, name, category)!
