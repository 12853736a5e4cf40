/** Under which the draft of an item is kept. */
export const itemDraftName = (projectId: string | null, key: string): string => `knowledge.${projectId ?? ''}.${key}`
