import type { Command } from './command.js'
import { optionLines } from './help.js'
import { globalOptions } from './option.js'

/** Loaded for a run alone, so that a command costs what it needs and no more. */
type Load = () => Promise<object>

const finish: Load = () => import('./commands/finish.js')
const claim: Load = () => import('./commands/claim.js')
const ask: Load = () => import('./commands/ask.js')
const edit: Load = () => import('./commands/edit.js')
const block: Load = () => import('./commands/block.js')
const note: Load = () => import('./commands/note.js')
const noteReview: Load = () => import('./commands/note-review.js')
const me: Load = () => import('./commands/me.js')
const trash: Load = () => import('./commands/trash.js')
const users: Load = () => import('./commands/users.js')
const members: Load = () => import('./commands/members.js')
const projects: Load = () => import('./commands/projects.js')
const keys: Load = () => import('./commands/keys.js')
const pause: Load = () => import('./commands/pause.js')
const webhooks: Load = () => import('./commands/webhooks.js')

/** Every command by its name, with the module that exports it by the last word of that name. */
const groups: Record<string, Record<string, [about: string, load: Load]>> = {
  Work: {
    next: ['Show or claim the next ready task', claim],
    claim: ['Claim a task', claim],
    renew: ['Extend a claim', claim],
    context: ['Show what a worker on a task needs', () => import('./commands/context.js')],
    done: ['Finish a task', finish],
    submit: ['Hand a task over for review', finish],
    release: ['Hand a task back', finish],
    check: ['Decide a check of a task', () => import('./commands/check.js')],
    'accept-stale': ['Accept a task that is stale', () => import('./commands/accept-stale.js')],
    ask: ['Ask about a task, and let go of it', ask],
    answer: ['Answer a question', ask],
    inbox: ['List what is meant for you, also live', () => import('./commands/inbox.js')],
  },
  Tasks: {
    add: ['Create a task', edit],
    ls: ['List tasks', () => import('./commands/ls.js')],
    show: ['Show a task with its checks, questions and comments', () => import('./commands/show.js')],
    edit: ['Change a task', edit],
    comment: ['Comment on a task', () => import('./commands/comment.js')],
    block: ['Let a task wait for others', block],
    unblock: ['Unblock a task', block],
    reservations: ['List what claims reserve', () => import('./commands/reservations.js')],
    tree: ['Draw subtasks and blockers', () => import('./commands/tree.js')],
    mv: ['Move a task to another project', () => import('./commands/mv.js')],
    rank: ['Order a task among those of its project', () => import('./commands/rank.js')],
    rm: ['Delete tasks', () => import('./commands/rm.js')],
  },
  Knowledge: {
    notes: ['List notes', note],
    'note get': ['Print a note', note],
    'note show': ['Show a note with its state, trust and other fields', note],
    'note put': ['Write a note', note],
    'note append': ['Add to the end of a note', note],
    'note edit': ['Edit a note in $EDITOR, or change its fields', note],
    'note links': ['List the links of a note, or those to it', note],
    'note verify': ['Say that a note is right', noteReview],
    'note dispute': ['Say that a note is wrong', noteReview],
    'note retract': ['Withdraw a note', noteReview],
    'note supersede': ['Replace a note by another one', noteReview],
    'note accept-stale': ['Accept a note that is stale', noteReview],
    'note history': ['List the changes of a note', note],
    'note mv': ['Move notes to another key or project', note],
    'note rm': ['Delete a note', note],
    search: ['Search tasks and notes', () => import('./commands/search.js')],
  },
  Changes: {
    log: ['Print events, also live', () => import('./commands/log.js')],
    history: ['List changes of a task, a note or everything', () => import('./commands/history.js')],
    trash: ['List what was deleted', trash],
    'trash rm': ['Delete something in the trash for good', trash],
    restore: ['Bring back something deleted, or an old version', trash],
    undo: ['Undo what a key, a request or a claim did', () => import('./commands/undo.js')],
  },
  Tenant: {
    whoami: ['Show the key, its tenant and its scopes', me],
    usage: ['Show limits and quotas', me],
    projects: ['List projects', projects],
    'projects create': ['Create a project', projects],
    'projects edit': ['Change a project', projects],
    'projects rm': ['Delete a project', projects],
    statuses: ['List or set the statuses of a project', () => import('./commands/statuses.js')],
    members: ['List the users with a role in a project', members],
    'members set': ['Give a user a role in a project', members],
    'members rm': ['Delete the role of a user in a project', members],
    users: ['List users', users],
    'users role': ['Set the role of a user in the tenant', users],
    'users rm': ['Delete a user, or erase their name everywhere', users],
    keys: ['List API keys', keys],
    'keys create': ['Create an API key', keys],
    'keys rotate': ['Give a key a new secret', keys],
    'keys rm': ['Revoke a key', keys],
    pause: ['Hand out no work: of a project, to a key or at all', pause],
    resume: ['Hand out work again', pause],
    webhooks: ['List webhooks', webhooks],
    'webhooks create': ['Create a webhook', webhooks],
    'webhooks enable': ['Switch a webhook on', webhooks],
    'webhooks disable': ['Switch a webhook off', webhooks],
    'webhooks ping': ['Send a test message', webhooks],
    'webhooks deliveries': ['List what was sent to a webhook', webhooks],
    'webhooks rm': ['Delete a webhook', webhooks],
  },
  More: {
    api: ['Send a request to the API', () => import('./commands/api.js')],
    login: ['Store the address and key of a server', () => import('./commands/login.js')],
    setup: ['Connect an agent, or tell it how to work here', () => import('./commands/setup.js')],
    open: ['Open the web console, at a task or a note', () => import('./commands/open.js')],
    export: ['Write everything to a file or a folder', () => import('./commands/export.js')],
    import: ['Read an export, or the data of another tool', () => import('./commands/import.js')],
    sync: ['Keep a folder of Markdown and notes the same, also live', () => import('./commands/sync.js')],
    github: ['Keep GitHub issues and tasks in step', () => import('./commands/github.js')],
    mcp: ['Connect an MCP client by standard input and output', () => import('./commands/mcp.js')],
    completion: ['Print the completion script of a shell', () => import('./commands/completion.js')],
  },
}

const listed = new Map(Object.values(groups).flatMap((commands) => Object.entries(commands)))

export const commandNames = [...listed.keys()]

/** What the completion scripts call is not for people. */
const all = new Map([...listed, ['__complete', ['', () => import('./commands/completion.js')] as [string, Load]]])

/** New names of renamed commands, by old name. */
const renamed: Readonly<Record<string, string>> = {
  accept: 'accept-stale',
  'keys revoke': 'keys rm',
  'note accept': 'note accept-stale',
  'note ls': 'notes',
  resources: 'reservations',
  review: 'submit',
  'trash empty': 'trash rm --all',
  'users erase': 'users rm --erase',
}

export const newNameOf = (name: string): string | undefined =>
  Object.hasOwn(renamed, name) ? renamed[name] : undefined

const exportNameOf = (name: string): string =>
  name.slice(name.lastIndexOf(' ') + 1).replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** A command, with what the list says of it. */
export const loadCommand = async (name: string): Promise<[about: string, command: Command] | undefined> => {
  const entry = all.get(name)
  if (!entry) return undefined
  const [about, load] = entry
  const exported = (await load()) as Record<string, Command>
  return [about, exported[exportNameOf(name)]!]
}

/** The command that words begin with, and the words after its name. */
export const findCommand = (words: readonly string[]): [name: string, rest: string[]] => {
  const [first = '', second = '', ...rest] = words
  const both = `${first} ${second}`
  if (all.has(both) || newNameOf(both) !== undefined) return [both, rest]
  const hasActions = !all.has(first) && commandNames.some((name) => name.startsWith(`${first} `))
  return hasActions && second !== '' && !second.startsWith('-') ? [both, rest] : [first, words.slice(1)]
}

const commandLines = (commands: Iterable<readonly [name: string, [about: string, load: Load]]>): string =>
  [...commands].map(([name, [about]]) => `  ${name.padEnd(20)} ${about}`).join('\n')

/** What `wl GROUP --help` prints of the commands that begin with a word; empty where there is none. */
export const actionsOf = (name: string): string => {
  const actions = [...listed].filter(([each]) => each.startsWith(`${name} `))
  return actions.length === 0 ? '' : `Commands:\n${commandLines(actions)}`
}

/** What `wl --help` prints. */
export const overview = (version: string): string => {
  const parts = Object.entries(groups).map(([group, commands]) => {
    return `${group}:\n${commandLines(Object.entries(commands))}\n`
  })
  return `wl ${version}: tasks and knowledge from the command line

Usage: wl <command> [arguments] [options]

${parts.join('\n')}
Commands that delete or revoke ask first. Options of every command:
${optionLines(globalOptions)}

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 nothing found or ready, 4 not authorized, 5 conflict or lost claim,
6 limited or unavailable.
`
}
