import { type Static, type TSchema, Type } from 'typebox'
import { AppError, invalid } from '../../base/errors.js'
import type { OperationCall } from '../../operations/operation.js'
import { runSteps } from '../../operations/run-operation.js'
import { maxChecks } from '../../tenancy/projects/schema.js'
import { createTask as createOperation } from '../../work/tasks/operations.js'
import type { Task } from '../../work/tasks/schema.js'
import { newTask } from '../../work/tasks/structure/cycle.js'
import { countFitting, listBudget } from '../budget.js'
import { taskRef } from '../references.js'
import { runStep } from '../run.js'
import { wantedChecks } from '../text/checks.js'
import { taskLines } from '../text/task-line.js'
import { word } from '../text/text.js'
import { tool } from '../tool.js'
import { fieldArguments, fieldsOf, inList } from './task-arguments.js'

const structureFields = {
  parent: Type.Optional(Type.String()),
  blocked_by: Type.Optional(Type.Array(Type.String(), { maxItems: 50 })),
}
const checksArgument = (options: object) =>
  Type.Optional(Type.Array(Type.String(), { maxItems: maxChecks, ...options }))
/** The arguments of create_task for a single task, which its schema need not list twice. */
const asForOne: typeof fieldArguments = Object.fromEntries(
  Object.entries<TSchema>(fieldArguments).map(([name, schema]) => [
    name,
    name === 'description' ? schema : Type.Optional({ ...schema, isUnlisted: true }),
  ]),
)
const PlannedTask = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    title: Type.String(),
    ...asForOne,
    ...structureFields,
    checks: checksArgument({ isUnlisted: true }),
  },
  { additionalProperties: false },
)
type PlannedTask = Static<typeof PlannedTask>

const maxPlanned = 100

/** What errors call the tasks of a plan: nothing of it is created then, so their ids are those of other tasks later. */
const inPlan =
  (names: ReadonlyMap<string, string>, own: string) =>
  (error: unknown): never => {
    if (!(error instanceof AppError) || error.params.details) throw error
    const message = error.message
      .replaceAll(/\b[A-Z][A-Z0-9]*-\d+\b/g, (id) => names.get(id) ?? id)
      .replaceAll(new RegExp(newTask, 'gi'), () => own)
    throw error.with({}, message)
  }

/** Creates the tasks of a plan in their order; each may refer to those before it by their names. */
const createPlan = async (inside: OperationCall, project: string, plan: readonly PlannedTask[]): Promise<Task[]> => {
  const ids = new Map<string, string>()
  const idOf = (name: string): string => ids.get(name) ?? taskRef(name)
  const names = new Map<string, string>()
  const created: Task[] = []
  const placeOf = (index: number): string => (plan.length === 1 ? '' : `tasks.${index}.`)
  const nameOf = (index: number): string => {
    const { name } = plan[index]!
    if (name !== undefined) return word(name)
    return plan.length === 1 ? newTask : `tasks.${index}`
  }
  for (const [index, { name, title, parent, blocked_by: blockers, checks, ...fields }] of plan.entries()) {
    if (name !== undefined && ids.has(name)) {
      throw invalid({ path: `tasks.${index}.name`, message: 'is the name of an earlier task' })
    }
    for (const named of [parent, ...(blockers ?? [])]) {
      if (named === undefined || ids.has(named) || !plan.some((each) => each.name === named)) continue
      throw invalid({ path: `tasks.${index}`, message: `refers to "${named}", which must come before it` })
    }
    const task = {
      projectId: project,
      ...fieldsOf(fields),
      title,
      ...(parent !== undefined && { parentId: idOf(parent) }),
      ...(blockers && { blockedBy: blockers.map(idOf) }),
      ...(checks && { checks: wantedChecks(checks, `${placeOf(index)}checks`) }),
    }
    const { data } = await runStep(inside, createOperation, { task })
      .catch(inList(placeOf(index)))
      .catch(inPlan(names, nameOf(index)))
    if (name !== undefined) ids.set(name, data.id)
    names.set(data.id, nameOf(index))
    created.push(data)
  }
  return created
}

export const createTask = tool({
  name: 'create_task',
  title: 'Create tasks',
  description: 'Create a task, or with tasks a whole plan in one step',
  annotations: { destructiveHint: false },
  scopes: ['tasks:write'],
  operations: ({ tasks }) =>
    Array.isArray(tasks) ? tasks.slice(0, maxPlanned).map(() => createOperation) : [createOperation],
  input: Type.Object({
    project: Type.String(),
    title: Type.Optional(Type.String()),
    ...fieldArguments,
    ...structureFields,
    checks: checksArgument({ description: 'must hold; a leading other: or human: says who decides' }),
    tasks: Type.Optional(
      Type.Array(PlannedTask, {
        minItems: 1,
        maxItems: maxPlanned,
        description: 'fields as above; parent and blocked_by take names of earlier ones',
      }),
    ),
  }),
  run: async (call, { project, tasks: plan, ...single }) => {
    if (plan) {
      const [extra] = Object.keys(single)
      if (extra !== undefined) throw invalid({ path: extra, message: 'cannot be combined with tasks' })
    }
    const { title } = single
    if (!plan && title === undefined) throw invalid({ path: 'title', message: 'is required' })
    const planned = plan ?? [{ ...single, title: title! }]
    const created = await runSteps(call, 'tasks:write', undefined, (inside) => createPlan(inside, project, planned))
    const lines = (await taskLines(call, created)).map((line, index) => {
      const name = plan?.[index]?.name
      return name === undefined ? line : `${JSON.stringify(name)}: ${line}`
    })
    const count = countFitting(lines, listBudget)
    const others = created.slice(count).map(({ id }) => id)
    const rest = others.length === 0 ? [] : [`and in the order of the plan: ${others.join(' ')}`]
    return [...lines.slice(0, count), ...rest].join('\n')
  },
})
