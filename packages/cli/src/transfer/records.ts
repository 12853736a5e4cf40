import type { CreateTaskBody, PatchKnowledgeBody, Project, Task } from 'worklore-client'
import { CommandError } from '../exit-codes.js'

export type SourceCheck = NonNullable<CreateTaskBody['checks']>[number]

/** A comment as another system had it. Authors and times go into the text: the service records who imports it. */
export interface SourceComment {
  author?: string | undefined
  at?: string | undefined
  text: string
  /** It waits for an answer, and is asked again. */
  question?: { options: string[] | undefined }
}

/** A task as another system had it, in our words. Its links name tasks as that system does. */
export interface SourceTask {
  /** Where it was found: a file and a line. */
  place: string
  /** Its id there, which becomes the `externalId`. */
  id: string
  /** Other ways in which texts there refer to it. */
  aliases?: string[]
  /** The key of its project there, where the source has several. */
  project?: string | undefined
  title: string
  description: string
  /** As the service takes it; of another system, what its own status is taken for. */
  status: Task['status']
  category: Task['statusCategory']
  /** What another system calls its status; undefined where the source leaves no doubt about the category. */
  statusName?: string | undefined
  priority: Task['priority']
  labels: string[]
  /** A name or an email. */
  assignee?: string | undefined
  dueDate?: string | undefined
  notBefore?: string | undefined
  blockedBy: string[]
  parentId?: string | undefined
  /** What must hold before it is done, as far as that is not known already. */
  checks?: SourceCheck[]
  /** Other fields, as the service takes them. */
  fields?: Partial<CreateTaskBody>
  /** What the task keeps of its own. */
  metadata?: Record<string, unknown>
  /** What else was known of it there, such as its author and times. */
  origin: Record<string, unknown>
  comments: SourceComment[]
}

/** What is set of a note beside its text. */
export type NoteFields = Omit<PatchKnowledgeBody, 'content'>

export interface SourceNote {
  place: string
  key: string
  /** The key of its project there; undefined for the whole tenant, or where the source has no projects. */
  project?: string | undefined
  fields?: NoteFields
  /** Why it was withdrawn, if it was. */
  retraction?: string | undefined
  /** Read when it is needed: a folder of notes may be larger than the memory. */
  content(): string
}

export interface SourceProject {
  place: string
  key: string
  name: string
  description: string
  maxAttempts?: number | undefined
  defaultChecks?: SourceCheck[]
  statuses?: Project['statuses']
  visibility?: Project['visibility']
  /** Why it was paused. */
  pauseReason?: string | undefined
}

export interface BadRecord {
  place: string
  reason: string
}

/** What a file or a folder has to import. */
export interface Source {
  format: string
  /** Whether its records name their projects. */
  hasProjects: boolean
  projects: SourceProject[]
  tasks: SourceTask[]
  notes: SourceNote[]
  /** What cannot be imported, and why. */
  bad: BadRecord[]
}

export const emptySource = (format: string): Source => ({
  format,
  hasProjects: false,
  projects: [],
  tasks: [],
  notes: [],
  bad: [],
})

/** Reads one record, or notes why it cannot be read. */
export const collect = (source: Source, place: string, read: () => void): void => {
  try {
    read()
  } catch (error) {
    if (error instanceof CommandError) throw error
    source.bad.push({ place, reason: (error as Error).message })
  }
}
