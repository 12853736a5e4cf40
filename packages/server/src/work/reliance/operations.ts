import { Type } from 'typebox'
import { operation } from '../../operations/operation.js'
import { dataOf, listOf, records } from '../../operations/result.js'
import { itemResult } from '../knowledge/operations.js'
import { acceptItem } from '../knowledge/relied/relied.js'
import { KnowledgeItem } from '../knowledge/schema.js'
import { itemVersion } from '../knowledge/service.js'
import { taskResult } from '../tasks/operations.js'
import { Task, TaskId } from '../tasks/schema.js'
import { taskVersion } from '../tasks/service.js'
import { acceptTask } from '../tasks/stale.js'
import * as list from './list.js'
import { AcceptRequest, BasisEntry, BasisList, Dependent, DependentList } from './schema.js'

const subject = 'Reliance'

export const listBasis = operation({
  name: 'listBasis',
  summary: 'List the knowledge that a task relied on',
  subject,
  kind: 'read',
  scope: 'tasks:read',
  input: BasisList,
  output: listOf(BasisEntry),
  errors: ['NOT_FOUND'],
  run: async (call, input) => records(input, await list.listBasis(call, input)),
})

export const listDependents = operation({
  name: 'listDependents',
  summary: 'List the tasks that relied on a knowledge item, and the items written for them',
  subject,
  kind: 'read',
  scope: 'knowledge:read',
  input: DependentList,
  output: listOf(Dependent),
  errors: ['NOT_FOUND', 'CONFLICT'],
  run: async (call, input) => records(input, await list.listDependents(call, input)),
})

export const acceptStaleTask = operation({
  name: 'acceptStaleTask',
  summary: 'Accept a task that relied on knowledge that no longer holds',
  subject,
  kind: 'write',
  isBatchable: true,
  scope: 'tasks:write',
  input: Type.Object({ taskId: TaskId }),
  output: dataOf(Task),
  errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED', 'IDEMPOTENCY_MISMATCH'],
  versionOf: taskVersion,
  run: async (call, { taskId }) => taskResult(call, await acceptTask(call, taskId)),
})

export const acceptStaleKnowledge = operation({
  name: 'acceptStaleKnowledge',
  summary: 'Accept a knowledge item that relied on knowledge that no longer holds',
  subject,
  kind: 'write',
  isBatchable: true,
  scope: 'knowledge:write',
  input: Type.Object({ accepted: AcceptRequest }),
  output: dataOf(KnowledgeItem),
  errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED', 'IDEMPOTENCY_MISMATCH'],
  versionOf: (call, { accepted }) => itemVersion(call, accepted),
  run: async (call, { accepted }) => itemResult(await acceptItem(call, accepted)),
})
