/** Of a project's tasks, or of all. */
export const viewPath = (projectKey: string | undefined, view: string): string =>
  projectKey !== undefined ? `/p/${projectKey}/${view}` : view === 'list' ? '/tasks' : `/tasks/${view}`
