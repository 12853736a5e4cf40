import type { Tool } from './tool.js'
import { claimTask, finishTask } from './tools/claims.js'
import { createTask } from './tools/create-task.js'
import { getHistory } from './tools/history.js'
import { listKnowledge, readKnowledge, writeKnowledge } from './tools/knowledge.js'
import { askQuestion } from './tools/questions.js'
import { search } from './tools/search.js'
import { getTask, listTasks } from './tools/tasks.js'
import { addComment, updateTask } from './tools/update-task.js'

/** Every tool, in the order in which clients are told of them. */
export const tools: readonly Tool[] = [
  claimTask,
  finishTask,
  getTask,
  listTasks,
  createTask,
  updateTask,
  addComment,
  askQuestion,
  search,
  readKnowledge,
  writeKnowledge,
  listKnowledge,
  getHistory,
]
