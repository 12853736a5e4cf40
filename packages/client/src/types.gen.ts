// Generated from openapi.json by "npm run generate".

/** The API key that made the change, and the user it belongs to. */
export interface Actor {
  keyId: string
  keyName: string
  userId: string | null
}

/** Something that must hold before the task is done. */
export interface Check {
  id: string
  /** What must hold, in 1 to 500 characters. */
  text: string
  /** Who may decide the check: any key that can write the task, one whose key and user have not worked on it, or a human. */
  verifier: 'anyone' | 'other' | 'human'
  state: 'open' | 'passed' | 'failed' | 'waived'
  /** What shows it: a link, a command with its output, a sentence. Up to 2 KiB of UTF-8. */
  evidence: string | null
  by: Actor | null
  at: string | null
}

/** Who is working on the task, and until when. */
export interface Claim {
  /** The task id and a claim number, never reused. */
  token: string
  keyId: string
  keyName: string
  userId: string | null
  /** The process that holds the claim, as named by the caller. */
  worker: string | null
  note: string | null
  claimedAt: string
  renewedAt: string
  expiresAt: string
}

/** An item that was relied on and no longer holds. */
export interface StaleMark {
  key: string
  /** Null if the item is tenant-wide. */
  projectId: string | null
  /** The version that was relied on. */
  version: number
  /** What happened to the item. */
  why: 'retracted' | 'disputed' | 'deleted' | 'superseded' | 'expired'
  at: string
}

export interface Task {
  /** The project key and a number. */
  id: string
  projectId: string
  /** 1 to 500 characters after trimming. */
  title: string
  /** Up to 64 KiB of UTF-8. */
  description: string
  /** What came out of the task: Markdown, up to 8 KiB of UTF-8. */
  result: string | null
  /** One of todo, in_progress, in_review, done, cancelled, or a status of the project. */
  status: string
  priority: 'low' | 'medium' | 'high' | 'urgent'
  /** Up to 50 labels of 1 to 64 characters, without commas. Order is kept; duplicates are dropped. */
  labels: string[]
  /** A date (`2026-01-31`), returned unchanged, or a timestamp, returned in UTC. */
  dueDate: string | null
  /** Tasks that must be closed first, in any project that the key has access to. */
  blockedBy: string[]
  /** The parent task, in the same project. */
  parentId: string | null
  notBefore: string | null
  /** Identifier in another system, unique within the project. */
  externalId: string | null
  /** Custom data, up to 16 KiB of JSON. An update replaces the keys it contains; null removes a key. */
  metadata: Record<string, unknown>
  /** What the task needs for itself while it is claimed; a trailing `/` includes everything below. Duplicates are dropped. */
  resources: string[]
  /** The built-in status whose rules apply to the status of the task. */
  statusCategory: 'todo' | 'in_progress' | 'in_review' | 'done' | 'cancelled'
  checks: Check[]
  /** Starts at 1 and rises with each change. */
  version: number
  createdAt: string
  updatedAt: string
  createdBy: Actor
  /** How often the task was claimed since it was created or since this was reset to 0. */
  attempts: number
  assignee: {
    id: string
    name: string
  } | null
  claim: Claim | null
  /** Number of tasks in `blockedBy` that are neither done nor cancelled. */
  openBlockers: number
  /** Number of direct subtasks. */
  children: {
    total: number
    open: number
  }
  commentCount: number
  /** Number of questions about the task that wait for an answer. While there is one, the task is not ready. */
  openQuestions: number
  /** Items that it relied on and that no longer hold, the newest 20. Accepting, new content or a new claim clears it. */
  stale: StaleMark[]
  /** Orders the tasks of a project, lowest first, as `sort=rank` does. Compare it with others, and do not keep it: it may change without the task. */
  rank: number
}

export interface TaskPagination {
  page?: number
  limit: number
  /** Capped at 1,000 unless `total=exact` is set; capped at 300 in a search. */
  total?: number
  /** There are more results than `total`, or in a search there may be. */
  totalIsCapped?: true
  totalPages?: number
  hasMore: boolean
  nextCursor: string | null
}

/** A task without its long fields, as a board shows it. */
export interface TaskCard {
  /** The project key and a number. */
  id: string
  projectId: string
  /** 1 to 500 characters after trimming. */
  title: string
  /** One of todo, in_progress, in_review, done, cancelled, or a status of the project. */
  status: string
  priority: 'low' | 'medium' | 'high' | 'urgent'
  /** Up to 50 labels of 1 to 64 characters, without commas. Order is kept; duplicates are dropped. */
  labels: string[]
  /** A date (`2026-01-31`), returned unchanged, or a timestamp, returned in UTC. */
  dueDate: string | null
  /** The parent task, in the same project. */
  parentId: string | null
  /** The built-in status whose rules apply to the status of the task. */
  statusCategory: 'todo' | 'in_progress' | 'in_review' | 'done' | 'cancelled'
  /** Number of checks. */
  checks: {
    total: number
    open: number
    failed: number
  }
  /** Starts at 1 and rises with each change. */
  version: number
  createdAt: string
  updatedAt: string
  createdBy: Actor
  /** How often the task was claimed since it was created or since this was reset to 0. */
  attempts: number
  assignee: {
    id: string
    name: string
  } | null
  claim: Claim | null
  /** Number of tasks in `blockedBy` that are neither done nor cancelled. */
  openBlockers: number
  /** Number of direct subtasks. */
  children: {
    total: number
    open: number
  }
  commentCount: number
  /** Number of questions about the task that wait for an answer. While there is one, the task is not ready. */
  openQuestions: number
  /** Items that it relied on and that no longer hold, the newest 20. Accepting, new content or a new claim clears it. */
  stale: StaleMark[]
  /** Orders the tasks of a project, lowest first, as `sort=rank` does. Compare it with others, and do not keep it: it may change without the task. */
  rank: number
  /** The tasks that `openBlockers` counts. */
  openBlockerIds: string[]
  /** Whether this key could claim the task now, as in the filter `ready`. */
  ready: boolean
}

/** Number of tasks with a status of each category. */
export interface TaskCounts {
  todo: number
  in_progress: number
  in_review: number
  done: number
  cancelled: number
  total: number
}

export interface Explanation {
  /** `exact`: the query is a key or id. `words`: semantic ranking was not used, e.g. because the text is not embedded yet. */
  by: 'exact' | 'words' | 'words and meaning'
  bm25: number
  /** BM25 divided by the square root of its maximum. */
  strength: number
  /** BM25 as a share of its maximum for this query. */
  lexical: number
  /** Share of the query's words found, weighted by how rare they are. */
  coverage: number
  /** Semantic similarity. */
  cosine: number | null
}

export interface FoundTask {
  /** The project key and a number. */
  id: string
  projectId: string
  /** 1 to 500 characters after trimming. */
  title: string
  /** Up to 64 KiB of UTF-8. */
  description: string
  /** What came out of the task: Markdown, up to 8 KiB of UTF-8. */
  result: string | null
  /** One of todo, in_progress, in_review, done, cancelled, or a status of the project. */
  status: string
  priority: 'low' | 'medium' | 'high' | 'urgent'
  /** Up to 50 labels of 1 to 64 characters, without commas. Order is kept; duplicates are dropped. */
  labels: string[]
  /** A date (`2026-01-31`), returned unchanged, or a timestamp, returned in UTC. */
  dueDate: string | null
  /** Tasks that must be closed first, in any project that the key has access to. */
  blockedBy: string[]
  /** The parent task, in the same project. */
  parentId: string | null
  notBefore: string | null
  /** Identifier in another system, unique within the project. */
  externalId: string | null
  /** Custom data, up to 16 KiB of JSON. An update replaces the keys it contains; null removes a key. */
  metadata: Record<string, unknown>
  /** What the task needs for itself while it is claimed; a trailing `/` includes everything below. Duplicates are dropped. */
  resources: string[]
  /** The built-in status whose rules apply to the status of the task. */
  statusCategory: 'todo' | 'in_progress' | 'in_review' | 'done' | 'cancelled'
  checks: Check[]
  /** Starts at 1 and rises with each change. */
  version: number
  createdAt: string
  updatedAt: string
  createdBy: Actor
  /** How often the task was claimed since it was created or since this was reset to 0. */
  attempts: number
  assignee: {
    id: string
    name: string
  } | null
  claim: Claim | null
  /** Number of tasks in `blockedBy` that are neither done nor cancelled. */
  openBlockers: number
  /** Number of direct subtasks. */
  children: {
    total: number
    open: number
  }
  commentCount: number
  /** Number of questions about the task that wait for an answer. While there is one, the task is not ready. */
  openQuestions: number
  /** Items that it relied on and that no longer hold, the newest 20. Accepting, new content or a new claim clears it. */
  stale: StaleMark[]
  /** Orders the tasks of a project, lowest first, as `sort=rank` does. Compare it with others, and do not keep it: it may change without the task. */
  rank: number
  /** Relevance: high from .7, medium from .4, low below. Comparable between searches. */
  score: number
  /** Present if the comments of the task match. */
  matched?: 'comments'[]
  explain?: Explanation
}

/** A task as it was, without its claim and its counts. */
export interface TaskVersion {
  /** The project key and a number. */
  id: string
  projectId: string
  /** 1 to 500 characters after trimming. */
  title: string
  /** Up to 64 KiB of UTF-8. */
  description: string
  /** What came out of the task: Markdown, up to 8 KiB of UTF-8. */
  result: string | null
  /** One of todo, in_progress, in_review, done, cancelled, or a status of the project. */
  status: string
  priority: 'low' | 'medium' | 'high' | 'urgent'
  /** Up to 50 labels of 1 to 64 characters, without commas. Order is kept; duplicates are dropped. */
  labels: string[]
  /** A date (`2026-01-31`), returned unchanged, or a timestamp, returned in UTC. */
  dueDate: string | null
  /** Tasks that must be closed first, in any project that the key has access to. */
  blockedBy: string[]
  /** The parent task, in the same project. */
  parentId: string | null
  notBefore: string | null
  /** Identifier in another system, unique within the project. */
  externalId: string | null
  /** Custom data, up to 16 KiB of JSON. An update replaces the keys it contains; null removes a key. */
  metadata: Record<string, unknown>
  /** What the task needs for itself while it is claimed; a trailing `/` includes everything below. Duplicates are dropped. */
  resources: string[]
  /** The built-in status whose rules apply to the status of the task. */
  statusCategory: 'todo' | 'in_progress' | 'in_review' | 'done' | 'cancelled'
  checks: Check[]
  /** Starts at 1 and rises with each change. */
  version: number
  createdAt: string
  updatedAt: string
  createdBy: Actor
  /** How often the task was claimed since it was created or since this was reset to 0. */
  attempts: number
  assignee: {
    id: string
    name: string
  } | null
}

export interface SimilarTask {
  /** The project key and a number. */
  id: string
  /** 1 to 500 characters after trimming. */
  title: string
  /** One of todo, in_progress, in_review, done, cancelled, or a status of the project. */
  status: string
  /** Relevance: high from .7, medium from .4, low below. Comparable between searches. */
  score: number
}

/** A resource that a claim reserves within a project. */
export interface Reservation {
  resource: string
  taskId: string
  projectId: string
  title: string
  heldBy: {
    keyId: string
    name: string
  }
  worker: string | null
  expiresAt: string
}

export interface CursorPagination {
  limit: number
  hasMore: boolean
  nextCursor: string | null
}

export interface Comment {
  id: string
  taskId: string
  /** Markdown, up to 64 KiB of UTF-8. */
  body: string
  /** Starts at 1 and rises with each change. */
  version: number
  createdAt: string
  updatedAt: string
  createdBy: Actor
}

/** A question about a task, which is not ready while one is open. */
export interface Question {
  id: string
  taskId: string
  /** Markdown, up to 8 KiB of UTF-8. */
  body: string
  /** What can be chosen from: 2 to 10 different texts. Without options the answer is a text. */
  options: string[] | null
  /** The user who is asked; any person where it is missing or null. */
  to: string | null
  state: 'open' | 'answered' | 'withdrawn'
  answer: {
    option: string | null
    /** Markdown, up to 8 KiB of UTF-8. */
    body: string | null
    by: Actor
    at: string
  } | null
  /** Starts at 1 and rises with each change. */
  version: number
  createdAt: string
  createdBy: Actor
}

/** Without `content` if `fields=key` was requested. */
export interface ListedKnowledgeItem {
  /** Identifies the item for life; its key and project can change. */
  id: string
  /** 1 to 512 bytes of UTF-8. Slashes separate segments, which must not be empty, `.` or `..`. */
  key: string
  /** Null if the item is tenant-wide. */
  projectId: string | null
  /** Starts at 1 and rises with each change. */
  version: number
  createdAt: string
  updatedAt: string
  createdBy: Actor
  updatedBy: Actor
  title: string | null
  /** Up to 50 tags of 1 to 64 characters, without commas. Order is kept; duplicates are dropped. */
  tags: string[]
  /** Custom data, up to 16 KiB of JSON. An update replaces the keys it contains; null removes a key. */
  metadata: Record<string, unknown>
  /** Where it comes from. */
  source: string | null
  validUntil: string | null
  /** Set by verdicts; new content is `unreviewed`. */
  trust: 'unreviewed' | 'verified' | 'disputed'
  /** Who verified or disputed the content. */
  verdict: {
    by: Actor
    at: string
    /** The version that was judged. */
    version: number
    note: string | null
  } | null
  retraction: {
    reason: string
    by: Actor
    at: string
  } | null
  /** Keys of items in the same place that this item replaces. */
  supersedes: string[]
  /** The key of the item that replaces it. */
  supersededBy: string | null
  /** The first that holds of `retracted`, `superseded`, `expired` and `current`. */
  state: 'current' | 'expired' | 'superseded' | 'retracted'
  /** Items that it relied on and that no longer hold, the newest 20. Accepting, new content or a new claim clears it. */
  stale: StaleMark[]
  /** Up to 1 MiB of UTF-8, returned byte for byte. */
  content?: string
}

/** A section of an item, or some paragraphs of a long one. */
export interface Passage {
  /** The headings that it stands below, the outermost first. */
  heading: string | null
  text: string
  /** Where it begins in the content, in UTF-16 code units. */
  start: number
  end: number
  /** The line that it begins with, from 1. */
  line: number
  /** Compares the passages of one item. */
  score: number
}

export interface KnowledgeHit {
  /** Identifies the item for life; its key and project can change. */
  id: string
  /** 1 to 512 bytes of UTF-8. Slashes separate segments, which must not be empty, `.` or `..`. */
  key: string
  title: string | null
  /** Up to 50 tags of 1 to 64 characters, without commas. Order is kept; duplicates are dropped. */
  tags: string[]
  /** Up to 1 MiB of UTF-8, returned byte for byte. */
  content?: string
  /** Relevance: high from .7, medium from .4, low below. Comparable between searches. */
  score: number
  /** The key of the item that matched better and that this item supersedes. */
  foundBy?: string
  /** Null if the item is tenant-wide. */
  projectId: string | null
  /** Starts at 1 and rises with each change. */
  version: number
  updatedAt: string
  /** The first that holds of `retracted`, `superseded`, `expired` and `current`. */
  state: 'current' | 'expired' | 'superseded' | 'retracted'
  /** Set by verdicts; new content is `unreviewed`. */
  trust: 'unreviewed' | 'verified' | 'disputed'
  /** The best matching passage, HTML-escaped, with matches in `<mark>`. */
  snippet: string
  /** The passages that answer best, best first. */
  passages?: Passage[]
  explain?: Explanation
}

export interface KnowledgeItem {
  /** Identifies the item for life; its key and project can change. */
  id: string
  /** 1 to 512 bytes of UTF-8. Slashes separate segments, which must not be empty, `.` or `..`. */
  key: string
  /** Null if the item is tenant-wide. */
  projectId: string | null
  /** Starts at 1 and rises with each change. */
  version: number
  createdAt: string
  updatedAt: string
  createdBy: Actor
  updatedBy: Actor
  title: string | null
  /** Up to 50 tags of 1 to 64 characters, without commas. Order is kept; duplicates are dropped. */
  tags: string[]
  /** Custom data, up to 16 KiB of JSON. An update replaces the keys it contains; null removes a key. */
  metadata: Record<string, unknown>
  /** Where it comes from. */
  source: string | null
  validUntil: string | null
  /** Set by verdicts; new content is `unreviewed`. */
  trust: 'unreviewed' | 'verified' | 'disputed'
  /** Who verified or disputed the content. */
  verdict: {
    by: Actor
    at: string
    /** The version that was judged. */
    version: number
    note: string | null
  } | null
  retraction: {
    reason: string
    by: Actor
    at: string
  } | null
  /** Keys of items in the same place that this item replaces. */
  supersedes: string[]
  /** The key of the item that replaces it. */
  supersededBy: string | null
  /** The first that holds of `retracted`, `superseded`, `expired` and `current`. */
  state: 'current' | 'expired' | 'superseded' | 'retracted'
  /** Items that it relied on and that no longer hold, the newest 20. Accepting, new content or a new claim clears it. */
  stale: StaleMark[]
  /** Up to 1 MiB of UTF-8, returned byte for byte. */
  content: string
}

export interface SimilarKnowledgeItem {
  /** 1 to 512 bytes of UTF-8. Slashes separate segments, which must not be empty, `.` or `..`. */
  key: string
  /** Null if the item is tenant-wide. */
  projectId: string | null
  /** Relevance: high from .7, medium from .4, low below. Comparable between searches. */
  score: number
  /** The best matching passage, HTML-escaped, with matches in `<mark>`. */
  snippet: string
  /** The key of the item that matched better and that this item supersedes. */
  foundBy?: string
}

export interface DuplicateKnowledgeItem {
  /** 1 to 512 bytes of UTF-8. Slashes separate segments, which must not be empty, `.` or `..`. */
  key: string
  /** Relevance: high from .7, medium from .4, low below. Comparable between searches. */
  score: number
  /** The best matching passage, HTML-escaped, with matches in `<mark>`. */
  snippet: string
  /** The key of the item that matched better and that this item supersedes. */
  foundBy?: string
}

/** A task, or with `key` an item. */
export interface Dependent {
  /** A task that relied on the item. */
  task?: string
  /** An item that was written under a claim of such a task. */
  key?: string
  /** Null if the item is tenant-wide. */
  projectId: string | null
  /** Of a task the newest version that it read; of an item the newest version written under a claim. */
  version: number
  at: string
}

export interface MovedKnowledgeItem {
  /** Identifies the item for life; its key and project can change. */
  id: string
  from: string
  /** 1 to 512 bytes of UTF-8. Slashes separate segments, which must not be empty, `.` or `..`. */
  key: string
  /** Null if the item is tenant-wide. */
  projectId: string | null
  /** Starts at 1 and rises with each change. */
  version: number
}

export interface KnowledgeLink {
  /** 1 to 512 bytes of UTF-8. Slashes separate segments, which must not be empty, `.` or `..`. */
  key?: string
  task?: string
  projectId: string | null
  /** Of an item that links here. */
  title?: string | null
  /** Whether what the item links to is there. */
  exists?: boolean
}

/** What a worker needs before it begins, within a budget. A text that was cut ends in `…`; where there is hardly any room, entries show only what is essential. */
export interface Context {
  task: {
    id: string
    title: string
    /** One of todo, in_progress, in_review, done, cancelled, or a status of the project. */
    status: string
    projectId?: string
    priority?: 'low' | 'medium' | 'high' | 'urgent'
    labels?: string[]
    /** A date (`2026-01-31`), returned unchanged, or a timestamp, returned in UTC. */
    dueDate?: string | null
    resources?: string[]
    checks?: {
      id: string
      text: string
      state: string
    }[]
    description?: string
  }
  /** The parent first. */
  ancestors: {
    id: string
    title: string
    /** One of todo, in_progress, in_review, done, cancelled, or a status of the project. */
    status?: string
    /** What came out of it. */
    result?: string | null
    description?: string
  }[]
  blockers: {
    id: string
    title: string
    /** One of todo, in_progress, in_review, done, cancelled, or a status of the project. */
    status?: string
    /** What came out of it. */
    result: string | null
  }[]
  /** To questions about the task, the newest first. */
  answers: {
    question: string
    answer: string
    by?: string
  }[]
  /** Earlier claims, the newest first, each with the last comment of its holder. */
  attempts: {
    by: string
    ended: 'released' | 'expired' | 'replaced'
    at?: string
    comment: string | null
  }[]
  /** Passages of current items of the project and the tenant that fit the task. */
  knowledge: {
    key: string
    projectId?: string | null
    /** Starts at 1 and rises with each change. */
    version?: number
    title?: string | null
    trust?: 'unreviewed' | 'verified' | 'disputed'
    heading?: string | null
    /** Where the passage begins in the content. */
    start?: number
    passage: string
  }[]
  /** Tasks on a like subject that others hold now. */
  neighbours: {
    id: string
    title: string
    by: string
    worker?: string | null
  }[]
  /** Finished tasks on the same subject. */
  similarDone: {
    id: string
    title: string
    /** What came out of it. */
    result?: string | null
  }[]
  /** How many entries of a part did not fit; parts that are whole are not named. */
  omitted: {
    blockers?: number
    answers?: number
    knowledge?: number
    ancestors?: number
    attempts?: number
    neighbours?: number
    similarDone?: number
  }
  /** Where nothing could be searched for: the limit of searches is used up, or search is unavailable. */
  searched?: false
  /** An estimate of what the context takes, rather too high than too low. */
  tokens: number
}

/** An item that was read under a claim of the task. */
export interface BasisEntry {
  /** 1 to 512 bytes of UTF-8. Slashes separate segments, which must not be empty, `.` or `..`. */
  key: string
  /** Null if the item is tenant-wide. */
  projectId: string | null
  /** The version that was read. */
  version: number
  at: string
  /** What the item is now. */
  state: 'current' | 'expired' | 'superseded' | 'retracted' | 'deleted'
}

export interface FoundTaskRecord {
  kind: 'task'
  /** The project key and a number. */
  id: string
  projectId: string
  /** 1 to 500 characters after trimming. */
  title: string
  /** Up to 64 KiB of UTF-8. */
  description: string
  /** What came out of the task: Markdown, up to 8 KiB of UTF-8. */
  result: string | null
  /** One of todo, in_progress, in_review, done, cancelled, or a status of the project. */
  status: string
  priority: 'low' | 'medium' | 'high' | 'urgent'
  /** Up to 50 labels of 1 to 64 characters, without commas. Order is kept; duplicates are dropped. */
  labels: string[]
  /** A date (`2026-01-31`), returned unchanged, or a timestamp, returned in UTC. */
  dueDate: string | null
  /** Tasks that must be closed first, in any project that the key has access to. */
  blockedBy: string[]
  /** The parent task, in the same project. */
  parentId: string | null
  notBefore: string | null
  /** Identifier in another system, unique within the project. */
  externalId: string | null
  /** Custom data, up to 16 KiB of JSON. An update replaces the keys it contains; null removes a key. */
  metadata: Record<string, unknown>
  /** What the task needs for itself while it is claimed; a trailing `/` includes everything below. Duplicates are dropped. */
  resources: string[]
  /** The built-in status whose rules apply to the status of the task. */
  statusCategory: 'todo' | 'in_progress' | 'in_review' | 'done' | 'cancelled'
  checks: Check[]
  /** Starts at 1 and rises with each change. */
  version: number
  createdAt: string
  updatedAt: string
  createdBy: Actor
  /** How often the task was claimed since it was created or since this was reset to 0. */
  attempts: number
  assignee: {
    id: string
    name: string
  } | null
  claim: Claim | null
  /** Number of tasks in `blockedBy` that are neither done nor cancelled. */
  openBlockers: number
  /** Number of direct subtasks. */
  children: {
    total: number
    open: number
  }
  commentCount: number
  /** Number of questions about the task that wait for an answer. While there is one, the task is not ready. */
  openQuestions: number
  /** Items that it relied on and that no longer hold, the newest 20. Accepting, new content or a new claim clears it. */
  stale: StaleMark[]
  /** Orders the tasks of a project, lowest first, as `sort=rank` does. Compare it with others, and do not keep it: it may change without the task. */
  rank: number
  /** Relevance: high from .7, medium from .4, low below. Comparable between searches. */
  score: number
  /** Present if the comments of the task match. */
  matched?: 'comments'[]
  explain?: Explanation
}

export interface FoundKnowledgeRecord {
  kind: 'knowledge'
  /** Identifies the item for life; its key and project can change. */
  id: string
  /** 1 to 512 bytes of UTF-8. Slashes separate segments, which must not be empty, `.` or `..`. */
  key: string
  title: string | null
  /** Up to 50 tags of 1 to 64 characters, without commas. Order is kept; duplicates are dropped. */
  tags: string[]
  /** Up to 1 MiB of UTF-8, returned byte for byte. */
  content?: string
  /** Relevance: high from .7, medium from .4, low below. Comparable between searches. */
  score: number
  /** The key of the item that matched better and that this item supersedes. */
  foundBy?: string
  /** Null if the item is tenant-wide. */
  projectId: string | null
  /** Starts at 1 and rises with each change. */
  version: number
  updatedAt: string
  /** The first that holds of `retracted`, `superseded`, `expired` and `current`. */
  state: 'current' | 'expired' | 'superseded' | 'retracted'
  /** Set by verdicts; new content is `unreviewed`. */
  trust: 'unreviewed' | 'verified' | 'disputed'
  /** The best matching passage, HTML-escaped, with matches in `<mark>`. */
  snippet: string
  /** The passages that answer best, best first. */
  passages?: Passage[]
  explain?: Explanation
}

/** Who paused it, when and why. While it is paused, `next` and claims answer 409. */
export interface Paused {
  /** Why no work is handed out; whoever asks for some is told. */
  reason: string
  by: Actor
  at: string
}

export interface Project {
  id: string
  /** 2 to 10 of A-Z and 0-9, starting with a letter. Unique in the tenant; cannot be changed. */
  key: string
  name: string
  description: string
  /** How often a task can be claimed before a person has to look at it. */
  maxAttempts: number
  /** Checks that each new task of the project begins with. */
  defaultChecks: {
    /** What must hold, in 1 to 500 characters. */
    text: string
    /** Who may decide the check: any key that can write the task, one whose key and user have not worked on it, or a human. */
    verifier: 'anyone' | 'other' | 'human'
  }[]
  /** The statuses of the project, in the order of its board: at most 30, at least one of each category. The service itself sets the first of a category. Null for the built-in ones: todo, in_progress, in_review, done, cancelled. */
  statuses: {
    /** What tasks, requests and filters call it: 1 to 32 of a-z, 0-9, `_` and `-`. */
    status: string
    /** What people call it. */
    name: string
    /** The built-in status whose rules apply to it. */
    category: 'todo' | 'in_progress' | 'in_review' | 'done' | 'cancelled'
  }[] | null
  /** Who finds the project: everyone in the tenant, or, where it is `private`, only admins, users with a role in it and keys limited to it. */
  visibility: 'tenant' | 'private'
  paused: Paused | null
  /** Starts at 1 and rises with each change. */
  version: number
  createdAt: string
  updatedAt: string
}

/** A user with a role in a project. */
export interface Member {
  userId: string
  name: string
  /** What the user may do in the project, in place of what the role in the tenant gives there: `member` reads and writes, `viewer` reads and comments. */
  role: 'member' | 'viewer'
}

/** A person or an agent that tasks can be assigned to. */
export interface User {
  id: string
  name: string
  /** The user is mentioned by it, as `@ada`. Unique in the tenant; made from the name by default. */
  handle: string
  email: string | null
  kind: 'human' | 'agent'
  /** What the user may do in the tenant, with any key: `admin` everything, `member` read and write, `none` only what a role in a project gives. */
  role: 'admin' | 'member' | 'none'
  createdAt: string
  updatedAt: string
}

export interface ApiKey {
  id: string
  name: string
  /** The start of the secret, to recognise it by; empty for the key of a user who signs in, which has no secret and the scopes of the role of its user. */
  prefix: string
  scopes: ('tasks:read' | 'tasks:write' | 'knowledge:read' | 'knowledge:write' | 'admin')[]
  /** The projects the key is limited to, by id or key; null for all. */
  projectIds: string[] | null
  /** The user the key belongs to. */
  userId: string | null
  /** When the key ends; null for never. */
  expiresAt: string | null
  /** The addresses and ranges (CIDR) that the key may be used from; null for any. */
  allowedAddresses: string[] | null
  paused: Paused | null
  createdAt: string
  lastUsedAt: string | null
}

export interface ApiKeyWithSecret {
  id: string
  name: string
  /** The start of the secret, to recognise it by; empty for the key of a user who signs in, which has no secret and the scopes of the role of its user. */
  prefix: string
  scopes: ('tasks:read' | 'tasks:write' | 'knowledge:read' | 'knowledge:write' | 'admin')[]
  /** The projects the key is limited to, by id or key; null for all. */
  projectIds: string[] | null
  /** The user the key belongs to. */
  userId: string | null
  /** When the key ends; null for never. */
  expiresAt: string | null
  /** The addresses and ranges (CIDR) that the key may be used from; null for any. */
  allowedAddresses: string[] | null
  paused: Paused | null
  createdAt: string
  lastUsedAt: string | null
  /** The secret, shown this once; null in the replay of an idempotent request. */
  key: string | null
}

export interface ConsoleLinkOptions {
  /** How long the link can be used: up to 7 days. */
  expiresInSeconds?: number
}

export interface ConsoleLink {
  /** Opens one session; null when an idempotent request is repeated. */
  link: string | null
  /** Where to open it in a browser, at the address of the service. */
  path: string | null
  keyId: string
  expiresAt: string
}

export interface Session {
  id: string
  /** The API key that the session acts as. */
  keyId: string
  keyName: string
  userId: string | null
  createdAt: string
  lastUsedAt: string
  expiresAt: string
  /** Where it was opened from. */
  address: string | null
  /** The browser that opened it, as it describes itself. */
  userAgent: string | null
  /** Whether this request was made with it. */
  current: boolean
}

export interface LoggedEvent {
  id: string
  /** Increases by one with each event of the tenant. */
  sequence: number
  type: 'task.created' | 'task.updated' | 'task.deleted' | 'task.claimed' | 'task.released' | 'task.claim_expired' | 'task.unblocked' | 'task.moved' | 'task.ranked' | 'task.restored' | 'task.stale' | 'comment.created' | 'comment.updated' | 'comment.deleted' | 'comment.restored' | 'question.asked' | 'question.answered' | 'question.withdrawn' | 'knowledge.created' | 'knowledge.updated' | 'knowledge.deleted' | 'knowledge.moved' | 'knowledge.restored' | 'knowledge.stale' | 'project.created' | 'project.updated' | 'project.deleted' | 'project.restored' | 'user.created' | 'user.updated' | 'user.deleted' | 'member.set' | 'member.removed' | 'key.created' | 'key.updated' | 'key.revoked' | 'key.rotated' | 'key.paused' | 'key.resumed' | 'tenant.paused' | 'tenant.resumed' | 'webhook.created' | 'webhook.updated' | 'webhook.rotated' | 'webhook.disabled' | 'webhook.deleted'
  timestamp: string
  actor: Actor
  /** The request that made the change; null where it was the service or a command. */
  requestId: string | null
  /** The interface that the change came through; `service` is the service itself. */
  via: 'http' | 'mcp' | 'console' | 'cli' | 'service'
  /** The W3C trace context of the request, where it had one. */
  traceparent?: string
  /** The event that the change undid. */
  undoes?: string
  /** Null where the record belongs to no project. */
  projectId: string | null
  /** The record after the change, or its last state if it was deleted. A large record is sent without its long text and with `truncated: true`; fetch it by id. */
  data: Record<string, unknown>
  /** The previous values of the changed fields; null unless the record was updated. */
  previous: Record<string, unknown> | null
}

export interface EventPagination {
  limit: number
  /** Whether there are more events after this page. */
  hasMore: boolean
  /** Send it as `after` to continue. It also skips events that the filters or the projects of the key exclude. With `order=desc` it is the newest event now, to follow the log from there. */
  nextAfter: number
  /** With `order=desc`: send it as `before` to continue; null at the end. */
  nextBefore?: number | null
}

/** Something that is meant for a user to see. */
export interface InboxEntry {
  id: string
  /** A question asked to this user, the answer to one of theirs, a mention, an assignment, a task that used up its attempts, or one that relied on knowledge that no longer holds. */
  kind: 'question' | 'answer' | 'mention' | 'assigned' | 'exhausted' | 'stale'
  taskId: string | null
  /** The knowledge item, where it is about one. */
  key: string | null
  projectId: string
  /** Of the task or the item. */
  title: string
  /** What was said, shortened to one line. */
  excerpt: string
  at: string
  by: Actor
  readAt: string | null
}

export interface InboxReadCount {
  /** How many entries were unread before. */
  read: number
}

export interface Webhook {
  id: string
  /** Where it sends to; of a chat only the origin. */
  url: string
  /** What is sent: `standard` for signed JSON, `slack` for an incoming webhook of Slack, `teams` for a workflow of Microsoft Teams. The URL of the latter two is a secret and is not shown again. It cannot be changed. */
  format: 'standard' | 'slack' | 'teams'
  /** Empty where it sends what is in inboxes. */
  events: string[]
  /** In place of `events`: send what is put into this user's inbox or, with `humans`, into that of any human user, and what waits for any of them: questions to no one in particular, and checks of tasks in review. */
  inboxOf: string | null
  /** Send only events of this project. Project id (`prj_…`) or key (`ACME`). */
  projectId: string | null
  description: string
  /** One that is off sends nothing; on again, it goes on where it was. */
  active: boolean
  /** Why the service disabled the webhook. */
  disabledReason: string | null
  /** Since when deliveries have been failing; null if they succeed. */
  failingSince: string | null
  /** Events up to this sequence were sent or are being retried. */
  position: number
  /** Progress of the running replay. */
  replay: {
    position: number
    toSequence: number
  } | null
  createdAt: string
  updatedAt: string
}

export interface WebhookWithSecret {
  id: string
  /** Where it sends to; of a chat only the origin. */
  url: string
  /** What is sent: `standard` for signed JSON, `slack` for an incoming webhook of Slack, `teams` for a workflow of Microsoft Teams. The URL of the latter two is a secret and is not shown again. It cannot be changed. */
  format: 'standard' | 'slack' | 'teams'
  /** Empty where it sends what is in inboxes. */
  events: string[]
  /** In place of `events`: send what is put into this user's inbox or, with `humans`, into that of any human user, and what waits for any of them: questions to no one in particular, and checks of tasks in review. */
  inboxOf: string | null
  /** Send only events of this project. Project id (`prj_…`) or key (`ACME`). */
  projectId: string | null
  description: string
  /** One that is off sends nothing; on again, it goes on where it was. */
  active: boolean
  /** Why the service disabled the webhook. */
  disabledReason: string | null
  /** Since when deliveries have been failing; null if they succeed. */
  failingSince: string | null
  /** Events up to this sequence were sent or are being retried. */
  position: number
  /** Progress of the running replay. */
  replay: {
    position: number
    toSequence: number
  } | null
  createdAt: string
  updatedAt: string
  /** The signing secret. Shown only once; null when an idempotent request is repeated. */
  secret: string | null
}

export interface WebhookDelivery {
  id: string
  webhookId: string
  /** Why it was sent. */
  reason: 'event' | 'replay' | 'redelivery' | 'ping'
  /** The `webhook-id` it is sent with, the same in every attempt. */
  eventId: string
  type: string
  /** The sequence of the event; null for a ping. */
  sequence: number | null
  /** `pending`: before the first attempt. `retrying`: will be attempted again. `failed`: given up. */
  status: 'pending' | 'retrying' | 'succeeded' | 'failed'
  attempts: number
  nextAttemptAt: string | null
  /** Of the last attempt; null where there was no answer. */
  responseStatus: number | null
  /** The first 1,024 bytes of the last response. */
  responseBody: string | null
  /** Why the last attempt failed. */
  error: string | null
  /** How long the last attempt took. */
  durationMs: number | null
  createdAt: string
  attemptedAt: string | null
}

export interface WebhookReplay {
  webhookId: string
  fromSequence: number
  toSequence: number
}

export interface HistoryEntry {
  /** The id of the event. Records that were deleted with their project share it. */
  id: string
  sequence: number
  type: 'task.created' | 'task.updated' | 'task.deleted' | 'task.claimed' | 'task.released' | 'task.claim_expired' | 'task.moved' | 'task.restored' | 'comment.created' | 'comment.updated' | 'comment.deleted' | 'comment.restored' | 'question.asked' | 'question.answered' | 'question.withdrawn' | 'knowledge.created' | 'knowledge.updated' | 'knowledge.deleted' | 'knowledge.moved' | 'knowledge.restored' | 'project.created' | 'project.updated' | 'project.deleted' | 'project.restored' | 'question.deleted'
  at: string
  actor: Actor
  requestId: string | null
  via: 'http' | 'mcp' | 'console' | 'cli' | 'service'
  /** The claim that the change was made under. */
  claim: string | null
  /** The event that the change undid. */
  undoes: string | null
  /** The task, or the task of the comment or question. */
  task?: string
  comment?: string
  question?: string
  /** Key of the knowledge item. */
  knowledge?: string
  /** Id of the knowledge item. */
  knowledgeId?: string
  project?: string
  /** Null for tenant-wide knowledge. */
  projectId: string | null
  /** Version after the change; of a deletion, the deleted version. */
  version: number
  /** The changed fields. A created record has no old values, a deleted one no new ones. */
  changes: Record<string, unknown>
}

export interface VersionToRestore {
  task?: string
  knowledge?: string
  /** The project of the knowledge item. Project id (`prj_…`) or key (`ACME`). Null: the tenant-wide item. */
  projectId?: string | null
  version: number
}

export interface SkippedLink {
  /** The task that lacks the value now. */
  task?: string
  /** The key of the item that lacks it now. */
  knowledge?: string
  field: 'projectId' | 'blockedBy' | 'parentId' | 'assignee' | 'externalId' | 'supersedes' | 'resources'
  /** What was left out. */
  value: string
  reason: 'not found' | 'cycle' | 'too many' | 'in use'
}

export interface TrashEntry {
  id: string
  kind: 'task' | 'comment' | 'knowledge' | 'project'
  /** The task, or the task of the comment or question. */
  task?: string
  comment?: string
  question?: string
  /** Key of the knowledge item. */
  knowledge?: string
  /** Id of the knowledge item. */
  knowledgeId?: string
  project?: string
  /** Null for tenant-wide knowledge. */
  projectId: string | null
  /** The title of a task, the key of a knowledge item, the beginning of a comment, the name of a project. */
  title: string
  /** The deleted version. */
  version: number
  deletedAt: string
  deletedBy: Actor
  /** When the entry will be purged. */
  purgedAt: string
  /** Large projects are restored in steps. */
  status: 'deleted' | 'restoring'
}

export interface RestoredEntry {
  /** Id of the trash entry. */
  id: string
  kind: 'task' | 'comment' | 'knowledge' | 'project'
  /** The task, or the task of the comment or question. */
  task?: string
  comment?: string
  question?: string
  /** Key of the knowledge item. */
  knowledge?: string
  /** Id of the knowledge item. */
  knowledgeId?: string
  project?: string
  /** Null for tenant-wide knowledge. */
  projectId: string | null
  /** The new version; null while it is being restored. */
  version: number | null
  status: 'restored' | 'restoring'
  /** Links that could not be restored. */
  skipped: SkippedLink[]
}

export interface PurgeResult {
  /** Entries that are no longer in the trash. */
  purged: number
  /** Those of them whose data is still being removed. */
  pending: number
}

/** Requires the scope `admin`. Without it, a key can undo only its own requests. It must set `requestId`, cannot set `includeConflicts`, and needs the write scopes of the records. */
export interface UndoRequest {
  /** Undo what this API key did. */
  keyId?: string
  /** Undo what this request did. If several keys used the id, `keyId` is required too. */
  requestId?: string
  /** Undo what was done under this claim. */
  claim?: string
  /** With `keyId`: undo only what this worker of the key did under its claims, which are known for 30 days after they end. */
  worker?: string
  /** Only changes from this time on. */
  since?: string
  /** Only changes from before this time. */
  until?: string
  /** Only changes in this project. Project id (`prj_…`) or key (`ACME`). */
  projectId?: string
  /** Only report what would be undone. */
  dryRun?: boolean
  /** Also undo records that someone else has changed since. */
  includeConflicts?: boolean
  /** `nextCursor` of the previous page, with the same filters and sort order. */
  cursor?: string
}

export interface UndoneRecord {
  /** The task, or the task of the comment or question. */
  task?: string
  comment?: string
  question?: string
  /** Key of the knowledge item. */
  knowledge?: string
  /** Id of the knowledge item. */
  knowledgeId?: string
  project?: string
  /** Null for tenant-wide knowledge. */
  projectId: string | null
  /** Title of the task, also of a comment or question, or name of the project; null for knowledge. */
  title: string | null
  /** A created record was deleted, a deleted one restored, any other reverted to its earlier fields. */
  action: 'reverted' | 'deleted' | 'restored' | 'moved'
  /** Version after the undo; null if the record was deleted. */
  version: number | null
  /** The fields that go back, from what they are to what they were; empty for a record that was deleted or restored. */
  changes: Record<string, unknown>
  /** The newest event that was undone. */
  undoes: string
  /** Links that could not be restored. */
  skipped: SkippedLink[]
}

export interface UndoConflict {
  /** The task, or the task of the comment or question. */
  task?: string
  comment?: string
  question?: string
  /** Key of the knowledge item. */
  knowledge?: string
  /** Id of the knowledge item. */
  knowledgeId?: string
  project?: string
  /** Null for tenant-wide knowledge. */
  projectId: string | null
  /** Title of the task, also of a comment or question, or name of the project; null for knowledge. */
  title: string | null
  /** `changed`: someone else changed the record since. `refused`: the record cannot be put back; see `message`. */
  reason: 'changed' | 'refused'
  message: string
  change: HistoryEntry
  laterChange: HistoryEntry | null
}

/** A record that already is as it was before. */
export interface UnchangedRecord {
  /** The task, or the task of the comment or question. */
  task?: string
  comment?: string
  question?: string
  /** Key of the knowledge item. */
  knowledge?: string
  /** Id of the knowledge item. */
  knowledgeId?: string
  project?: string
  /** Null for tenant-wide knowledge. */
  projectId: string | null
}

export interface UndoReport {
  dryRun: boolean
  undone: UndoneRecord[]
  conflicts: UndoConflict[]
  unchanged: UnchangedRecord[]
  /** Send it as `cursor` to continue; null after the last page. */
  nextCursor: string | null
}

export interface AuditEntry {
  id: string
  at: string
  action: 'auth.failed' | 'scope.refused' | 'key.created' | 'key.updated' | 'key.rotated' | 'key.revoked' | 'key.secret_revoked' | 'key.paused' | 'key.resumed' | 'session.link_created' | 'session.created' | 'session.ended' | 'webhook.created' | 'webhook.updated' | 'webhook.rotated' | 'webhook.disabled' | 'webhook.deleted' | 'webhook.pinged' | 'webhook.redelivered' | 'webhook.replayed' | 'tenant.created' | 'tenant.deleted' | 'tenant.paused' | 'tenant.resumed' | 'plan.changed' | 'store.restored' | 'history.restored' | 'trash.restored' | 'trash.purged' | 'undo.applied' | 'check.waived' | 'user.bound' | 'user.erased' | 'user.role_changed' | 'member.set' | 'member.removed' | 'project.visibility_changed' | 'project.paused' | 'project.resumed'
  actor: Actor | null
  /** Where it came from; of refusals over IPv6 the network (/64). Null for the command line and the service, and for refusals from more addresses than are kept apart. */
  address: string | null
  requestId: string | null
  via: 'http' | 'mcp' | 'console' | 'cli' | 'service'
  /** What was acted on, by its id. */
  subject: string | null
  /** What else there is to say of this action. */
  details: Record<string, unknown>
  /** Refusals of one kind from one address share an entry for an hour; this is how many they were. */
  count: number
  lastAt: string
}

export interface ClaimCounts {
  /** Claims that ended in the period, however they did. */
  ended: number
  /** Claims that ended with the task done or in review. By `key` or with `keyId`, those that the key itself ended so, also claims of others. */
  finished: number
  /** Those that their holders ended with the task back in to do, a question asked apart. */
  released: number
  /** Those that ran out, or whose key was revoked. */
  expired: number
  /** Time from the claim to its end, of those that their holders finished; null without any. */
  medianSeconds: number | null
}

export interface WorkerUsage {
  /** The name its claims have; null for claims without one. */
  worker: string | null
  waitsUntil: string | null
  /** When the first of its claims that ended in the period began, or the period did. */
  firstAt: string | null
  /** When it last renewed or ended one of these claims, or now while it waits; null where that is not known. */
  lastSeenAt: string | null
  claims: ClaimCounts
}

export interface UsageRow {
  /** By `key`. */
  keyId: string | null
  /** By `project`; null for requests about no single project. */
  projectId: string | null
  at: string | null
  /** A batch counts as one. */
  requests: number
  /** Requests of these that were writes and succeeded. */
  writes: number
  /** Changes of tasks, comments, questions, knowledge and projects that the requests made. */
  changes: number
  /** By `key`: the changes in each of the last 30 minutes, the present one last. */
  recentChanges: number[]
  /** Requests that were refused or failed, by the status of their answer. */
  refused: Record<string, number>
  /** When the first of its claims that ended in the period began, else the first hour or day with requests. */
  firstAt: string | null
  claims: ClaimCounts
  /** By `key`: until when it counts as waiting for a task; null where it does not wait. */
  waitsUntil: string | null
  /** By `key`: the workers of the key, at most 100. */
  workers: WorkerUsage[]
}

export interface Usage {
  since: string
  /** By key and project the busiest 1,000. */
  rows: UsageRow[]
}

export interface Me {
  tenant: {
    id: string
    name: string
    paused: Paused | null
  }
  plan: string
  key: {
    id: string
    name: string
    paused: Paused | null
  }
  user: User | null
  /** The session of the web console that this request was made with; null with an API key. */
  session: {
    id: string
    expiresAt: string
  } | null
  scopes: ('tasks:read' | 'tasks:write' | 'knowledge:read' | 'knowledge:write' | 'admin')[]
  /** The projects the key is limited to; null for all. */
  projects: {
    id: string
    key: string
    name: string
  }[] | null
  limits: {
    name: string
    limit: number
    remaining: number
    /** Unix seconds */
    reset: number
  }[]
  /** What the tenant can have of something at a time; empty on a plan without quotas. */
  quotas: {
    name: string
    limit: number
    used: number
  }[]
  /** Null if embeddings are off. */
  embedding: {
    /** Records whose text semantic search does not know yet. */
    waiting: number
    /** Records that semantic search finds, while others wait; null if none waits. */
    searchable: number | null
    /** Until none waits, at the pace of the last minute; null if none waits or it is not known yet. */
    secondsLeft: number | null
  } | null
  /** What to act on before it becomes an error. */
  warnings: {
    code: 'key_expires_soon' | 'quota_nearly_used'
    message: string
  }[]
}

export interface Tenant {
  id: string
  name: string
  plan: string
  createdAt: string
  paused: Paused | null
}

export interface Batch {
  operations: {
    method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
    path: string
    body?: unknown
    headers?: {
      'If-Match'?: string
      'If-None-Match'?: string
      'Worklore-Claim'?: string
    }
    as?: string
  }[]
}

export interface ErrorAnswer {
  error: {
    code: 'VALIDATION_ERROR' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND' | 'METHOD_NOT_ALLOWED' | 'REQUEST_TIMEOUT' | 'CONFLICT' | 'GONE' | 'PRECONDITION_FAILED' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'IDEMPOTENCY_MISMATCH' | 'RATE_LIMIT_EXCEEDED' | 'HEADERS_TOO_LARGE' | 'INTERNAL_ERROR' | 'SERVICE_UNAVAILABLE'
    /** The cause, more specific than the code. Use it to decide what to do or which text to show. */
    reason: 'invalid_input' | 'unknown_record' | 'no_user' | 'malformed' | 'missing' | 'invalid' | 'expired' | 'revoked' | 'scope' | 'role' | 'project' | 'tenant_wide' | 'unreadable' | 'author' | 'verifier' | 'quota' | 'key_lifetime' | 'key_addresses' | 'key_limits' | 'address' | 'host' | 'origin' | 'sign_in' | 'not_found' | 'no_route' | 'no_check' | 'no_version' | 'moved' | 'elsewhere' | 'method' | 'timeout' | 'claimed' | 'blocked' | 'closed' | 'checks' | 'cycle' | 'depth' | 'answered' | 'withdrawn' | 'resource' | 'paused' | 'status_in_use' | 'in_use' | 'exists' | 'superseded' | 'not_empty' | 'ambiguous' | 'same_project' | 'limit' | 'size' | 'running' | 'restoring' | 'parent_deleted' | 'others_work' | 'no_effect' | 'disabled' | 'replaying' | 'no_url' | 'no_secret' | 'session' | 'trimmed' | 'version' | 'claim_lost' | 'too_large' | 'media_type' | 'key_reused' | 'rate' | 'open_limit' | 'headers' | 'internal' | 'unavailable'
    /** What is wrong and what to do next. */
    message: string
    requestId: string
    details?: {
      path: string
      message: string
      /** The kind of record that the field refers to, if that record does not exist. */
      record?: string
    }[]
    hint?: string
    /** Seconds to wait. */
    retryAfter?: number
  }
}

export interface ListTasksQuery {
  /** Project id (`prj_…`) or key (`ACME`). Separate several values with commas to match any of them. */
  projectId?: string | undefined
  /** One of low, medium, high, urgent. Separate several values with commas to match any of them. */
  priority?: string | undefined
  /** One of todo, in_progress, in_review, done, cancelled, each with all statuses of that category, or a status of a project. Separate several values with commas to match any of them. */
  status?: string | undefined
  /** A user id, `me` for the user of this key, or `none` for unassigned tasks. Separate several values with commas to match any of them. */
  assignee?: string | undefined
  /** Due before this date or time. */
  dueBefore?: string | undefined
  /** Due after this date or time. */
  dueAfter?: string | undefined
  /** Updated after this date or time. */
  updatedAfter?: string | undefined
  /** Ids of tasks. Separate several values with commas to match any of them. */
  id?: string | undefined
  /** The key that created the task; `me` for the current key. */
  createdBy?: string | undefined
  /** Identifier in another system. */
  externalId?: string | undefined
  /** The parent task; `none` for tasks without a parent. */
  parentId?: string | undefined
  /** Whether the task relied on knowledge that no longer holds. */
  stale?: boolean | undefined
  /** Whether the task has an active claim. */
  claimed?: boolean | undefined
  /** The key that holds an active claim; `me` for the current key. */
  claimedBy?: string | undefined
  /** Tasks with an open check, with a failed one, or without any. */
  checks?: 'open' | 'failed' | 'none' | undefined
  /** Only tasks in review with an open check that this key may decide. */
  canVerify?: boolean | undefined
  /** Whether the task has used up its attempts. */
  exhausted?: boolean | undefined
  /** A label. Separate several values with commas to match any of them. */
  label?: string | undefined
  /** Tasks blocked by this task. */
  blockedBy?: string | undefined
  /** Tasks that block this task. */
  blocks?: string | undefined
  /** Whether this key could claim the task now. */
  ready?: boolean | undefined
  /** Prefix with `-` for descending. Ties are ordered by project and number; tasks without a due date come last. Default: `-createdAt`; with `ready=true` the order in which tasks are claimed: priority, due date, rank. `rank` lists one project after the other. */
  sort?: 'createdAt' | 'updatedAt' | 'priority' | 'dueDate' | 'rank' | '-createdAt' | '-updatedAt' | '-priority' | '-dueDate' | '-rank' | undefined
  /** Page number. */
  page?: number | undefined
  /** `nextCursor` of the previous page, with the same filters and sort order. */
  cursor?: string | undefined
  /** Do not cap the total at 1,000. */
  total?: 'exact' | undefined
  /** Records per page, at most 100. */
  limit?: number | undefined
}

export interface ListTasksAnswer {
  data: Task[]
  pagination: TaskPagination
}

export interface CreateTaskQuery {
  /** Also answer with `similar`: up to 3 tasks of the project that it may duplicate, with a score of at least 0.5. The task is created in any case. Counts as a search. */
  checkDuplicates?: boolean | undefined
}

export interface CreateTaskBody {
  /** Project id (`prj_…`) or key (`ACME`). */
  projectId: string
  /** 1 to 500 characters after trimming. */
  title: string
  /** Up to 64 KiB of UTF-8. */
  description?: string | undefined
  /** What came out of the task: Markdown, up to 8 KiB of UTF-8. */
  result?: string | null | undefined
  /** One of todo, in_progress, in_review, done, cancelled, or a status of the project. */
  status?: string | undefined
  priority?: 'low' | 'medium' | 'high' | 'urgent' | undefined
  /** Up to 50 labels of 1 to 64 characters, without commas. Order is kept; duplicates are dropped. */
  labels?: string[] | undefined
  /** A date (`2026-01-31`), returned unchanged, or a timestamp, returned in UTC. */
  dueDate?: string | null | undefined
  /** Tasks that must be closed first, in any project that the key has access to. */
  blockedBy?: string[] | undefined
  /** The parent task, in the same project. */
  parentId?: string | null | undefined
  /** The task is not ready before this time. */
  notBefore?: string | null | undefined
  /** Identifier in another system, unique within the project. */
  externalId?: string | null | undefined
  /** Custom data, up to 16 KiB of JSON. An update replaces the keys it contains; null removes a key. */
  metadata?: Record<string, unknown> | undefined
  /** What the task needs for itself while it is claimed; a trailing `/` includes everything below. Duplicates are dropped. */
  resources?: string[] | undefined
  /** Replaces the list. A check with its id and the same text and verifier keeps its state; every other one is open. */
  checks?: {
    id?: string | undefined
    /** What must hold, in 1 to 500 characters. */
    text: string
    /** Who may decide the check: any key that can write the task, one whose key and user have not worked on it, or a human. */
    verifier?: 'anyone' | 'other' | 'human' | undefined
  }[] | undefined
  /** The user to assign; null for none. */
  assigneeId?: string | null | undefined
  /** Also answer with `similar`: up to 3 tasks of the project that it may duplicate, with a score of at least 0.5. The task is created in any case. Counts as a search. */
  checkDuplicates?: boolean | undefined
}

export interface CreateTaskAnswer {
  data: Task
  /** With `checkDuplicates`, best first. Null if search was unavailable. */
  similar?: SimilarTask[] | null
}

export interface ListTaskCardsQuery {
  /** Project id (`prj_…`) or key (`ACME`). Separate several values with commas to match any of them. */
  projectId?: string | undefined
  /** One of low, medium, high, urgent. Separate several values with commas to match any of them. */
  priority?: string | undefined
  /** One of todo, in_progress, in_review, done, cancelled, each with all statuses of that category, or a status of a project. Separate several values with commas to match any of them. */
  status?: string | undefined
  /** A user id, `me` for the user of this key, or `none` for unassigned tasks. Separate several values with commas to match any of them. */
  assignee?: string | undefined
  /** Due before this date or time. */
  dueBefore?: string | undefined
  /** Due after this date or time. */
  dueAfter?: string | undefined
  /** Updated after this date or time. */
  updatedAfter?: string | undefined
  /** Ids of tasks. Separate several values with commas to match any of them. */
  id?: string | undefined
  /** The key that created the task; `me` for the current key. */
  createdBy?: string | undefined
  /** Identifier in another system. */
  externalId?: string | undefined
  /** The parent task; `none` for tasks without a parent. */
  parentId?: string | undefined
  /** Whether the task relied on knowledge that no longer holds. */
  stale?: boolean | undefined
  /** Whether the task has an active claim. */
  claimed?: boolean | undefined
  /** The key that holds an active claim; `me` for the current key. */
  claimedBy?: string | undefined
  /** Tasks with an open check, with a failed one, or without any. */
  checks?: 'open' | 'failed' | 'none' | undefined
  /** Only tasks in review with an open check that this key may decide. */
  canVerify?: boolean | undefined
  /** Whether the task has used up its attempts. */
  exhausted?: boolean | undefined
  /** A label. Separate several values with commas to match any of them. */
  label?: string | undefined
  /** Tasks blocked by this task. */
  blockedBy?: string | undefined
  /** Tasks that block this task. */
  blocks?: string | undefined
  /** Whether this key could claim the task now. */
  ready?: boolean | undefined
  /** Prefix with `-` for descending. Ties are ordered by project and number; tasks without a due date come last. Default: `-createdAt`; with `ready=true` the order in which tasks are claimed: priority, due date, rank. `rank` lists one project after the other. */
  sort?: 'createdAt' | 'updatedAt' | 'priority' | 'dueDate' | 'rank' | '-createdAt' | '-updatedAt' | '-priority' | '-dueDate' | '-rank' | undefined
  /** Page number. */
  page?: number | undefined
  /** `nextCursor` of the previous page, with the same filters and sort order. */
  cursor?: string | undefined
  /** Do not cap the total at 1,000. */
  total?: 'exact' | undefined
  /** Records per page, at most 1000. */
  limit?: number | undefined
}

export interface ListTaskCardsAnswer {
  data: TaskCard[]
  pagination: TaskPagination
}

export interface CountTasksQuery {
  /** Project id (`prj_…`) or key (`ACME`). Separate several values with commas to match any of them. */
  projectId?: string | undefined
  /** One of low, medium, high, urgent. Separate several values with commas to match any of them. */
  priority?: string | undefined
  /** One of todo, in_progress, in_review, done, cancelled, each with all statuses of that category, or a status of a project. Separate several values with commas to match any of them. */
  status?: string | undefined
  /** A user id, `me` for the user of this key, or `none` for unassigned tasks. Separate several values with commas to match any of them. */
  assignee?: string | undefined
  /** Due before this date or time. */
  dueBefore?: string | undefined
  /** Due after this date or time. */
  dueAfter?: string | undefined
  /** Updated after this date or time. */
  updatedAfter?: string | undefined
  /** Ids of tasks. Separate several values with commas to match any of them. */
  id?: string | undefined
  /** The key that created the task; `me` for the current key. */
  createdBy?: string | undefined
  /** Identifier in another system. */
  externalId?: string | undefined
  /** The parent task; `none` for tasks without a parent. */
  parentId?: string | undefined
  /** Whether the task relied on knowledge that no longer holds. */
  stale?: boolean | undefined
  /** Whether the task has an active claim. */
  claimed?: boolean | undefined
  /** The key that holds an active claim; `me` for the current key. */
  claimedBy?: string | undefined
  /** Tasks with an open check, with a failed one, or without any. */
  checks?: 'open' | 'failed' | 'none' | undefined
  /** Only tasks in review with an open check that this key may decide. */
  canVerify?: boolean | undefined
  /** Whether the task has used up its attempts. */
  exhausted?: boolean | undefined
  /** A label. Separate several values with commas to match any of them. */
  label?: string | undefined
  /** Tasks blocked by this task. */
  blockedBy?: string | undefined
  /** Tasks that block this task. */
  blocks?: string | undefined
  /** Whether this key could claim the task now. */
  ready?: boolean | undefined
}

export interface CountTasksAnswer {
  data: TaskCounts
}

export interface SearchTasksQuery {
  /** Text to search for in titles and descriptions. */
  q: string
  /** Project id (`prj_…`) or key (`ACME`). Separate several values with commas to match any of them. */
  projectId?: string | undefined
  /** One of low, medium, high, urgent. Separate several values with commas to match any of them. */
  priority?: string | undefined
  /** One of todo, in_progress, in_review, done, cancelled, each with all statuses of that category, or a status of a project. Separate several values with commas to match any of them. */
  status?: string | undefined
  /** A user id, `me` for the user of this key, or `none` for unassigned tasks. Separate several values with commas to match any of them. */
  assignee?: string | undefined
  /** Due before this date or time. */
  dueBefore?: string | undefined
  /** Due after this date or time. */
  dueAfter?: string | undefined
  /** Updated after this date or time. */
  updatedAfter?: string | undefined
  /** Ids of tasks. Separate several values with commas to match any of them. */
  id?: string | undefined
  /** The key that created the task; `me` for the current key. */
  createdBy?: string | undefined
  /** Identifier in another system. */
  externalId?: string | undefined
  /** The parent task; `none` for tasks without a parent. */
  parentId?: string | undefined
  /** Whether the task relied on knowledge that no longer holds. */
  stale?: boolean | undefined
  /** Whether the task has an active claim. */
  claimed?: boolean | undefined
  /** The key that holds an active claim; `me` for the current key. */
  claimedBy?: string | undefined
  /** Tasks with an open check, with a failed one, or without any. */
  checks?: 'open' | 'failed' | 'none' | undefined
  /** Only tasks in review with an open check that this key may decide. */
  canVerify?: boolean | undefined
  /** Whether the task has used up its attempts. */
  exhausted?: boolean | undefined
  /** A label. Separate several values with commas to match any of them. */
  label?: string | undefined
  /** Tasks blocked by this task. */
  blockedBy?: string | undefined
  /** Tasks that block this task. */
  blocks?: string | undefined
  /** Whether this key could claim the task now. */
  ready?: boolean | undefined
  /** Page number. */
  page?: number | undefined
  /** Records per page, at most 100. */
  limit?: number | undefined
  /** Add the parts of the score to each hit. */
  explain?: boolean | undefined
}

export interface SearchTasksAnswer {
  data: FoundTask[]
  pagination: TaskPagination
  /** Whether semantic ranking was used. False if the embedding model is off or unavailable. */
  semantic: boolean
  /** The search index is being built, or at least 100 records wait for semantic search: repeat the search. */
  complete?: false
  /** Nothing holds the quoted phrase, so its words were searched for without quotes. */
  relaxed?: true
}

export interface GetTaskQuery {
  /** Return this version of the record. */
  version?: number | undefined
}

export interface GetTaskAnswer {
  data: Task | TaskVersion
}

export interface UpdateTaskBody {
  /** 1 to 500 characters after trimming. */
  title?: string | undefined
  /** Up to 64 KiB of UTF-8. */
  description?: string | undefined
  /** What came out of the task: Markdown, up to 8 KiB of UTF-8. */
  result?: string | null | undefined
  /** One of todo, in_progress, in_review, done, cancelled, or a status of the project. */
  status?: string | undefined
  priority?: 'low' | 'medium' | 'high' | 'urgent' | undefined
  /** Up to 50 labels of 1 to 64 characters, without commas. Order is kept; duplicates are dropped. */
  labels?: string[] | undefined
  /** A date (`2026-01-31`), returned unchanged, or a timestamp, returned in UTC. */
  dueDate?: string | null | undefined
  /** Tasks that must be closed first, in any project that the key has access to. */
  blockedBy?: string[] | undefined
  /** The parent task, in the same project. */
  parentId?: string | null | undefined
  /** The task is not ready before this time. */
  notBefore?: string | null | undefined
  /** Identifier in another system, unique within the project. */
  externalId?: string | null | undefined
  /** Custom data, up to 16 KiB of JSON. An update replaces the keys it contains; null removes a key. */
  metadata?: Record<string, unknown> | undefined
  /** What the task needs for itself while it is claimed; a trailing `/` includes everything below. Duplicates are dropped. */
  resources?: string[] | undefined
  /** Replaces the list. A check with its id and the same text and verifier keeps its state; every other one is open. */
  checks?: {
    id?: string | undefined
    /** What must hold, in 1 to 500 characters. */
    text: string
    /** Who may decide the check: any key that can write the task, one whose key and user have not worked on it, or a human. */
    verifier?: 'anyone' | 'other' | 'human' | undefined
  }[] | undefined
  /** Resets the attempts, so that an exhausted task can be claimed again. */
  attempts?: 0 | undefined
  /** The user to assign; null for none. */
  assigneeId?: string | null | undefined
}

export interface UpdateTaskAnswer {
  data: Task
}

export interface DeleteTaskQuery {
  /** Also delete its subtasks. */
  force?: boolean | undefined
}

export interface DeleteTaskAnswer {
  data: {
    id: string
    deleted: true
  }
}

export interface SimilarTasksQuery {
  /** Records per page, at most 50. */
  limit?: number | undefined
  /** Leave out hits with a lower score. */
  minScore?: number | undefined
}

export interface SimilarTasksAnswer {
  data: FoundTask[]
  /** Whether semantic ranking was used. False if the embedding model is off or unavailable. */
  semantic: boolean
}

export interface MoveTaskBody {
  /** Project id (`prj_…`) or key (`ACME`). */
  projectId: string
}

export interface MoveTaskAnswer {
  data: Task
}

/** Exactly one of `before`, `after` and `to`. */
export interface RankTaskBody {
  /** A task of the same project. */
  before?: string | undefined
  /** A task of the same project. */
  after?: string | undefined
  /** Before or after all tasks of the project. */
  to?: 'top' | 'bottom' | undefined
}

export interface RankTaskAnswer {
  data: Task
}

export interface NextTaskBody {
  projectId?: string | string[] | undefined
  label?: string | string[] | undefined
  priority?: ('low' | 'medium' | 'high' | 'urgent') | (('low' | 'medium' | 'high' | 'urgent')[]) | undefined
  /** Only direct subtasks of this task. */
  parentId?: string | undefined
  /** How long the claim lasts unless it is renewed. */
  leaseSeconds?: number | undefined
  worker?: string | null | undefined
  note?: string | null | undefined
  /** How long to wait for a task where none is ready. */
  waitSeconds?: number | undefined
  /** Also answer with `context`: what a worker on the task needs, in no more tokens than this. */
  contextTokens?: number | undefined
  /** Return the task without claiming it. */
  peek?: boolean | undefined
}

export interface NextTaskAnswer {
  data: Task | null
  context?: Context | null
  /** Where `data` is null: why no task is ready, by counts. */
  message?: string
}

export interface ClaimTaskBody {
  /** How long the claim lasts unless it is renewed. */
  leaseSeconds?: number | undefined
  worker?: string | null | undefined
  note?: string | null | undefined
  /** Also answer with `context`: what a worker on the task needs, in no more tokens than this. */
  contextTokens?: number | undefined
  /** Replace an active claim of the same key; an admin key can replace any claim. */
  takeover?: boolean | undefined
}

export interface ClaimTaskAnswer {
  data: Task
  context?: Context | null
}

export interface RenewClaimBody {
  /** Seconds from now; default: the present length of the lease. */
  leaseSeconds?: number | undefined
}

export interface RenewClaimAnswer {
  data: Task
}

export interface ReleaseClaimBody {
  /** The new status of the task, of any category but in_progress; `todo` makes it available again. */
  status?: string | undefined
  /** Up to 64 KiB of Markdown. */
  comment?: string | undefined
  /** The task is not ready before this time. */
  notBefore?: string | null | undefined
  /** What came out of the task: Markdown, up to 8 KiB of UTF-8. */
  result?: string | null | undefined
}

export interface ReleaseClaimAnswer {
  data: Task
}

export interface ListReservationsQuery {
  /** Project id (`prj_…`) or key (`ACME`). */
  projectId?: string | undefined
  /** Records per page, at most 100. */
  limit?: number | undefined
  /** `nextCursor` of the previous page, with the same filters and sort order. */
  cursor?: string | undefined
}

export interface ListReservationsAnswer {
  data: Reservation[]
  pagination: CursorPagination
}

export interface DecideCheckBody {
  state: 'open' | 'passed' | 'failed' | 'waived'
  /** What shows it: a link, a command with its output, a sentence. Up to 2 KiB of UTF-8. */
  evidence?: string | null | undefined
}

export interface DecideCheckAnswer {
  data: Task
}

export interface ListCommentsQuery {
  /** Records per page, at most 100. */
  limit?: number | undefined
  /** `nextCursor` of the previous page, with the same filters and sort order. */
  cursor?: string | undefined
}

export interface ListCommentsAnswer {
  data: Comment[]
  pagination: CursorPagination
}

export interface CreateCommentBody {
  /** Markdown, up to 64 KiB of UTF-8. */
  body: string
}

export interface CreateCommentAnswer {
  data: Comment
}

export interface GetCommentAnswer {
  data: Comment
}

export interface UpdateCommentBody {
  /** Markdown, up to 64 KiB of UTF-8. */
  body: string
}

export interface UpdateCommentAnswer {
  data: Comment
}

export interface DeleteCommentAnswer {
  data: {
    id: string
    deleted: true
  }
}

export interface AskQuestionBody {
  /** Markdown, up to 8 KiB of UTF-8. */
  body: string
  /** What can be chosen from: 2 to 10 different texts. Without options the answer is a text. */
  options?: string[] | undefined
  /** The user who is asked; any person where it is missing or null. */
  to?: string | undefined
  /** Keep the claim that the request names, to go on with the task. Otherwise the claim ends. */
  keepClaim?: boolean | undefined
}

export interface AskQuestionAnswer {
  data: Question
}

export interface ListQuestionsQuery {
  /** Only questions in this state. */
  state?: 'open' | 'answered' | 'withdrawn' | undefined
  /** Only questions to the user of this key. */
  to?: 'me' | undefined
  /** Only questions about this task. */
  taskId?: string | undefined
  /** Only questions in this project. Project id (`prj_…`) or key (`ACME`). */
  projectId?: string | undefined
  /** Records per page, at most 100. */
  limit?: number | undefined
  /** `nextCursor` of the previous page, with the same filters and sort order. */
  cursor?: string | undefined
}

export interface ListQuestionsAnswer {
  data: Question[]
  pagination: CursorPagination
}

export interface GetQuestionQuery {
  /** How long to wait until the question is no longer open. */
  waitSeconds?: number | undefined
}

export interface GetQuestionAnswer {
  data: Question
}

/** One of the options, with a text if there is more to say; a text where there are no options. */
export interface AnswerQuestionBody {
  option?: string | undefined
  /** Markdown, up to 8 KiB of UTF-8. */
  body?: string | undefined
}

export interface AnswerQuestionAnswer {
  data: Question
}

export interface WithdrawQuestionAnswer {
  data: Question
}

export interface ListKnowledgeQuery {
  /** Project id (`prj_…`) or key (`ACME`). */
  projectId?: string | undefined
  /** Only keys that start with this text. */
  prefix?: string | undefined
  /** Cannot be combined with `projectId`. */
  scope?: 'all' | 'tenant' | 'project' | undefined
  /** Records per page, at most 500. */
  limit?: number | undefined
  /** `nextCursor` of the previous page, with the same filters and sort order. */
  cursor?: string | undefined
  /** Only items with this tag. */
  tag?: string | undefined
  trust?: 'unreviewed' | 'verified' | 'disputed' | undefined
  state?: 'current' | 'expired' | 'superseded' | 'retracted' | undefined
  /** Whether an item relied on something that no longer holds. */
  stale?: boolean | undefined
  /** `key` omits the content. */
  fields?: 'key' | undefined
}

export interface ListKnowledgeAnswer {
  data: ListedKnowledgeItem[]
  pagination: CursorPagination
}

export interface SearchKnowledgeQuery {
  /** Text to search for in keys, titles, tags and contents. */
  q: string
  /** Project id (`prj_…`) or key (`ACME`). */
  projectId?: string | undefined
  /** With `projectId`: include tenant-wide items. */
  includeTenant?: boolean | undefined
  /** Only keys that start with this text. Of a superseded item its own key counts. */
  prefix?: string | undefined
  /** Only items with this tag. */
  tag?: string | undefined
  trust?: 'unreviewed' | 'verified' | 'disputed' | undefined
  /** By default items that were superseded are answered by the item at the end of their chain, and expired and retracted ones are left out. Another state finds the items in it, `all` every item as it is. */
  state?: 'current' | 'expired' | 'superseded' | 'retracted' | 'all' | undefined
  /** Records per page, at most 100. */
  limit?: number | undefined
  /** Leave out hits with a lower score. */
  minScore?: number | undefined
  /** How many passages of each item are answered at most. */
  passages?: number | undefined
  /** `key` omits the content. */
  fields?: 'key' | undefined
  /** Add the parts of the score to each hit. */
  explain?: boolean | undefined
}

export interface SearchKnowledgeAnswer {
  data: KnowledgeHit[]
  /** Whether semantic ranking was used. False if the embedding model is off or unavailable. */
  semantic: boolean
  /** The search index is being built, or at least 100 records wait for semantic search: repeat the search. */
  complete?: false
  /** Nothing holds the quoted phrase, so its words were searched for without quotes. */
  relaxed?: true
}

export interface GetKnowledgeQuery {
  /** Project id (`prj_…`) or key (`ACME`). Default: the tenant-wide item, or else the item of the only project that has the key. */
  projectId?: string | undefined
  /** Add notes on the same subject. Counts as a search, too. */
  similar?: boolean | undefined
  /** Only the content from here on, in UTF-16 code units, as in `passages`. */
  start?: number | undefined
  /** Only the content before this. */
  end?: number | undefined
  /** Return this version of the record. */
  version?: number | undefined
}

export interface GetKnowledgeAnswer {
  data: KnowledgeItem
  /** With `start` or `end`: the part of the content that `data` has. */
  range?: {
    start: number
    end: number
    /** Of the whole content. */
    length: number
  }
  similar?: SimilarKnowledgeItem[]
}

export interface PutKnowledgeBody {
  /** Up to 1 MiB of UTF-8, returned byte for byte. */
  content: string
  title?: string | null | undefined
  /** Up to 50 tags of 1 to 64 characters, without commas. Order is kept; duplicates are dropped. */
  tags?: string[] | null | undefined
  /** Custom data, up to 16 KiB of JSON. An update replaces the keys it contains; null removes a key. */
  metadata?: Record<string, unknown> | null | undefined
  /** Where it comes from. */
  source?: string | null | undefined
  /** From this time on the item is `expired` and search leaves it out. */
  validUntil?: string | null | undefined
  /** Keys of items in the same place that this item replaces. */
  supersedes?: string[] | null | undefined
  /** Answer `similar`: up to 3 current items of the same place that may say the same. Counts as a search, too. Not in a batch. */
  checkDuplicates?: boolean | undefined
  /** Project id (`prj_…`) or key (`ACME`). Null: tenant-wide. Absent: the item that a GET without projectId returns, or a new tenant-wide one if nobody has the key. */
  projectId?: string | null | undefined
}

export interface PutKnowledgeAnswer {
  data: KnowledgeItem
  /** With `checkDuplicates`, best first. Null if search was unavailable. */
  similar?: DuplicateKnowledgeItem[] | null
}

export interface PatchKnowledgeQuery {
  /** Project id (`prj_…`) or key (`ACME`). Default: the tenant-wide item, or else the item of the only project that has the key. */
  projectId?: string | undefined
}

export interface PatchKnowledgeBody {
  title?: string | null | undefined
  /** Up to 50 tags of 1 to 64 characters, without commas. Order is kept; duplicates are dropped. */
  tags?: string[] | null | undefined
  /** Custom data, up to 16 KiB of JSON. An update replaces the keys it contains; null removes a key. */
  metadata?: Record<string, unknown> | null | undefined
  /** Where it comes from. */
  source?: string | null | undefined
  /** From this time on the item is `expired` and search leaves it out. */
  validUntil?: string | null | undefined
  /** Keys of items in the same place that this item replaces. */
  supersedes?: string[] | null | undefined
  /** Up to 1 MiB of UTF-8, returned byte for byte. */
  content?: string | undefined
}

export interface PatchKnowledgeAnswer {
  data: KnowledgeItem
}

export interface DeleteKnowledgeQuery {
  /** Project id (`prj_…`) or key (`ACME`). Default: the tenant-wide item, or else the item of the only project that has the key. */
  projectId?: string | undefined
}

export interface DeleteKnowledgeAnswer {
  data: {
    id: string
    key: string
    deleted: true
  }
}

export interface JudgeKnowledgeBody {
  /** 1 to 512 bytes of UTF-8. Slashes separate segments, which must not be empty, `.` or `..`. */
  key: string
  /** Project id (`prj_…`) or key (`ACME`). Null: the tenant-wide item. Absent: the tenant-wide item, or else the item of the only project that has the key. */
  projectId?: string | null | undefined
  /** The newest version, which was read. */
  version: number
  /** Set by verdicts; new content is `unreviewed`. */
  trust: 'unreviewed' | 'verified' | 'disputed'
  note?: string | null | undefined
}

export interface JudgeKnowledgeAnswer {
  data: KnowledgeItem
}

/** `reason: null` takes the retraction back. */
export interface RetractKnowledgeBody {
  /** 1 to 512 bytes of UTF-8. Slashes separate segments, which must not be empty, `.` or `..`. */
  key: string
  /** Project id (`prj_…`) or key (`ACME`). Null: the tenant-wide item. Absent: the tenant-wide item, or else the item of the only project that has the key. */
  projectId?: string | null | undefined
  reason: string | null
}

export interface RetractKnowledgeAnswer {
  data: KnowledgeItem
}

export interface AcceptStaleKnowledgeBody {
  /** 1 to 512 bytes of UTF-8. Slashes separate segments, which must not be empty, `.` or `..`. */
  key: string
  /** Project id (`prj_…`) or key (`ACME`). Null: the tenant-wide item. Absent: the tenant-wide item, or else the item of the only project that has the key. */
  projectId?: string | null | undefined
}

export interface AcceptStaleKnowledgeAnswer {
  data: KnowledgeItem
}

export interface ListDependentsQuery {
  /** 1 to 512 bytes of UTF-8. Slashes separate segments, which must not be empty, `.` or `..`. */
  key: string
  /** Project id (`prj_…`) or key (`ACME`). Default: the tenant-wide item, or else the item of the only project that has the key. */
  projectId?: string | undefined
  /** Records per page, at most 100. */
  limit?: number | undefined
  /** `nextCursor` of the previous page, with the same filters and sort order. */
  cursor?: string | undefined
}

export interface ListDependentsAnswer {
  data: Dependent[]
  pagination: CursorPagination
}

export interface MoveKnowledgeBody {
  /** 1 to 512 bytes of UTF-8. Slashes separate segments, which must not be empty, `.` or `..`. */
  from: string
  /** The new key; with `recursive`, the new prefix of the keys. */
  to: string
  /** Project id (`prj_…`) or key (`ACME`). Null: the tenant-wide item. Absent: the tenant-wide item, or else the item of the only project that has the key. */
  projectId?: string | null | undefined
  /** Project id (`prj_…`) or key (`ACME`). Null: tenant-wide. Default: unchanged. */
  toProjectId?: string | null | undefined
  /** Also move everything below the key, up to 1,000 items. */
  recursive?: boolean | undefined
}

export interface MoveKnowledgeAnswer {
  data: MovedKnowledgeItem[]
}

export interface ListLinksQuery {
  /** 1 to 512 bytes of UTF-8. Slashes separate segments, which must not be empty, `.` or `..`. */
  key?: string | undefined
  /** A task id, instead of a key. */
  task?: string | undefined
  /** Project id (`prj_…`) or key (`ACME`). Default: the tenant-wide item, or else the item of the only project that has the key. */
  projectId?: string | undefined
  /** `out`: what the item links to. `in`: the items that link to it. Default: `out`; of a task `in`. */
  direction?: 'out' | 'in' | undefined
  /** Records per page, at most 100. */
  limit?: number | undefined
  /** `nextCursor` of the previous page, with the same filters and sort order. */
  cursor?: string | undefined
}

export interface ListLinksAnswer {
  data: KnowledgeLink[]
  pagination: CursorPagination
}

export interface GetTaskContextQuery {
  /** The context takes no more tokens than this. */
  budgetTokens?: number | undefined
}

export interface GetTaskContextAnswer {
  data: Context
}

export interface ListBasisQuery {
  /** Records per page, at most 100. */
  limit?: number | undefined
  /** `nextCursor` of the previous page, with the same filters and sort order. */
  cursor?: string | undefined
}

export interface ListBasisAnswer {
  data: BasisEntry[]
  pagination: CursorPagination
}

export interface AcceptStaleTaskAnswer {
  data: Task
}

export interface SearchEverythingQuery {
  /** Text to search for. */
  q: string
  /** What to search: `tasks`, `knowledge` or both. Default: what the key may read. Separate several values with commas to match any of them. */
  in?: string | undefined
  /** Project id (`prj_…`) or key (`ACME`). */
  projectId?: string | undefined
  /** With `projectId`: include tenant-wide knowledge. */
  includeTenant?: boolean | undefined
  /** Only items with this tag. */
  tag?: string | undefined
  trust?: 'unreviewed' | 'verified' | 'disputed' | undefined
  /** By default items that were superseded are answered by the item at the end of their chain, and expired and retracted ones are left out. Another state finds the items in it, `all` every item as it is. */
  state?: 'current' | 'expired' | 'superseded' | 'retracted' | 'all' | undefined
  /** Records per page, at most 100. */
  limit?: number | undefined
  /** Leave out hits with a lower score. */
  minScore?: number | undefined
  /** How many passages of each item are answered at most. */
  passages?: number | undefined
  /** `key` omits the content. */
  fields?: 'key' | undefined
  /** Add the parts of the score to each hit. */
  explain?: boolean | undefined
}

export interface SearchEverythingAnswer {
  data: (FoundTaskRecord | FoundKnowledgeRecord)[]
  /** Whether semantic ranking was used. False if the embedding model is off or unavailable. */
  semantic: boolean
  /** The search index is being built, or at least 100 records wait for semantic search: repeat the search. */
  complete?: false
  /** Nothing holds the quoted phrase, so its words were searched for without quotes. */
  relaxed?: true
}

export interface ListProjectsQuery {
  /** Records per page, at most 100. */
  limit?: number | undefined
  /** `nextCursor` of the previous page, with the same filters and sort order. */
  cursor?: string | undefined
}

export interface ListProjectsAnswer {
  data: Project[]
  pagination: CursorPagination
}

export interface CreateProjectBody {
  /** 2 to 10 of A-Z and 0-9, starting with a letter. Unique in the tenant; cannot be changed. */
  key: string
  name: string
  description?: string | undefined
  /** How often a task can be claimed before a person has to look at it. */
  maxAttempts?: number | undefined
  /** Checks that each new task of the project begins with. */
  defaultChecks?: {
    /** What must hold, in 1 to 500 characters. */
    text: string
    /** Who may decide the check: any key that can write the task, one whose key and user have not worked on it, or a human. */
    verifier?: 'anyone' | 'other' | 'human' | undefined
  }[] | undefined
  /** The statuses of the project, in the order of its board: at most 30, at least one of each category. The service itself sets the first of a category. Null for the built-in ones: todo, in_progress, in_review, done, cancelled. */
  statuses?: {
    /** What tasks, requests and filters call it: 1 to 32 of a-z, 0-9, `_` and `-`. */
    status: string
    /** What people call it. */
    name: string
    /** The built-in status whose rules apply to it. */
    category: 'todo' | 'in_progress' | 'in_review' | 'done' | 'cancelled'
  }[] | null | undefined
  /** Who finds the project: everyone in the tenant, or, where it is `private`, only admins, users with a role in it and keys limited to it. */
  visibility?: 'tenant' | 'private' | undefined
}

export interface CreateProjectAnswer {
  data: Project
}

export interface GetProjectAnswer {
  data: Project
}

export interface UpdateProjectBody {
  name?: string | undefined
  description?: string | undefined
  /** How often a task can be claimed before a person has to look at it. */
  maxAttempts?: number | undefined
  /** Checks that each new task of the project begins with. */
  defaultChecks?: {
    /** What must hold, in 1 to 500 characters. */
    text: string
    /** Who may decide the check: any key that can write the task, one whose key and user have not worked on it, or a human. */
    verifier?: 'anyone' | 'other' | 'human' | undefined
  }[] | undefined
  /** The statuses of the project, in the order of its board: at most 30, at least one of each category. The service itself sets the first of a category. Null for the built-in ones: todo, in_progress, in_review, done, cancelled. */
  statuses?: {
    /** What tasks, requests and filters call it: 1 to 32 of a-z, 0-9, `_` and `-`. */
    status: string
    /** What people call it. */
    name: string
    /** The built-in status whose rules apply to it. */
    category: 'todo' | 'in_progress' | 'in_review' | 'done' | 'cancelled'
  }[] | null | undefined
  /** Who finds the project: everyone in the tenant, or, where it is `private`, only admins, users with a role in it and keys limited to it. */
  visibility?: 'tenant' | 'private' | undefined
  /** Pauses it; null resumes it. */
  paused?: {
    /** Why no work is handed out; whoever asks for some is told. */
    reason: string
  } | null | undefined
}

export interface UpdateProjectAnswer {
  data: Project
}

export interface DeleteProjectQuery {
  /** Also delete the tasks and knowledge of the project. */
  force?: boolean | undefined
}

export interface DeleteProjectAnswer {
  data: {
    id: string
    deleted: true
  }
}

export interface ListMembersQuery {
  /** Records per page, at most 100. */
  limit?: number | undefined
  /** `nextCursor` of the previous page, with the same filters and sort order. */
  cursor?: string | undefined
}

export interface ListMembersAnswer {
  data: Member[]
  pagination: CursorPagination
}

export interface SetMemberBody {
  /** What the user may do in the project, in place of what the role in the tenant gives there: `member` reads and writes, `viewer` reads and comments. */
  role: 'member' | 'viewer'
}

export interface SetMemberAnswer {
  data: Member
}

export interface RemoveMemberAnswer {
  data: {
    userId: string
    deleted: true
  }
}

export interface ListUsersQuery {
  /** Records per page, at most 100. */
  limit?: number | undefined
  /** `nextCursor` of the previous page, with the same filters and sort order. */
  cursor?: string | undefined
}

export interface ListUsersAnswer {
  data: User[]
  pagination: CursorPagination
}

export interface CreateUserBody {
  name: string
  /** The user is mentioned by it, as `@ada`. Unique in the tenant; made from the name by default. */
  handle?: string | undefined
  email?: string | null | undefined
  kind?: 'human' | 'agent' | undefined
  /** What the user may do in the tenant, with any key: `admin` everything, `member` read and write, `none` only what a role in a project gives. */
  role?: 'admin' | 'member' | 'none' | undefined
}

export interface CreateUserAnswer {
  data: User
}

export interface GetUserAnswer {
  data: User
}

export interface UpdateUserBody {
  name?: string | undefined
  /** The user is mentioned by it, as `@ada`. Unique in the tenant; made from the name by default. */
  handle?: string | undefined
  email?: string | null | undefined
  kind?: 'human' | 'agent' | undefined
  /** What the user may do in the tenant, with any key: `admin` everything, `member` read and write, `none` only what a role in a project gives. */
  role?: 'admin' | 'member' | 'none' | undefined
}

export interface UpdateUserAnswer {
  data: User
}

export interface DeleteUserQuery {
  /** Erase the person: replace their name and email by "deleted user" in events, history, versions, webhook deliveries and the audit log, in the background. The audit entry `user.erased` tells when this is complete. A user who was deleted before can still be erased. */
  erase?: boolean | undefined
}

export interface DeleteUserAnswer {
  data: {
    id: string
    deleted: true
  }
}

export interface ListKeysQuery {
  /** Records per page, at most 100. */
  limit?: number | undefined
  /** `nextCursor` of the previous page, with the same filters and sort order. */
  cursor?: string | undefined
}

export interface ListKeysAnswer {
  data: ApiKey[]
  pagination: CursorPagination
}

export interface CreateKeyBody {
  name: string
  scopes: ('tasks:read' | 'tasks:write' | 'knowledge:read' | 'knowledge:write' | 'admin')[]
  /** The projects the key is limited to, by id or key; null for all. */
  projectIds?: string[] | null | undefined
  /** The user the key belongs to. */
  userId?: string | null | undefined
  /** When the key ends; null for never. */
  expiresAt?: string | null | undefined
  /** The addresses and ranges (CIDR) that the key may be used from; null for any. */
  allowedAddresses?: string[] | null | undefined
  /** A user to create with the key, which belongs to it: an agent, unless `kind` says otherwise. It becomes a member of the private projects that the key is limited to. */
  user?: {
    name: string
    kind?: 'human' | 'agent' | undefined
  } | undefined
}

export interface CreateKeyAnswer {
  data: ApiKeyWithSecret
}

export interface GetKeyAnswer {
  data: ApiKey
}

export interface UpdateKeyBody {
  name?: string | undefined
  scopes?: ('tasks:read' | 'tasks:write' | 'knowledge:read' | 'knowledge:write' | 'admin')[] | undefined
  /** The projects the key is limited to, by id or key; null for all. */
  projectIds?: string[] | null | undefined
  /** The user the key belongs to. */
  userId?: string | null | undefined
  /** When the key ends; null for never. */
  expiresAt?: string | null | undefined
  /** The addresses and ranges (CIDR) that the key may be used from; null for any. */
  allowedAddresses?: string[] | null | undefined
  /** Pauses it; null resumes it. */
  paused?: {
    /** Why no work is handed out; whoever asks for some is told. */
    reason: string
  } | null | undefined
}

export interface UpdateKeyAnswer {
  data: ApiKey
}

export interface RevokeKeyAnswer {
  data: {
    id: string
    deleted: true
  }
}

export interface RotateKeyBody {
  /** How long the old secret stays good beside the new one, up to seven days. */
  overlapSeconds?: number | undefined
}

export interface RotateKeyAnswer {
  data: ApiKeyWithSecret
}

export interface RevokeSecretBody {
  /** The secret that leaked. */
  key: string
}

export interface RevokeSecretAnswer {
  data: {
    revoked: true
  }
}

export type CreateConsoleLinkBody = ConsoleLinkOptions

export interface CreateConsoleLinkAnswer {
  data: ConsoleLink
}

export interface ListSessionsQuery {
  /** Only sessions of this API key. */
  keyId?: string | undefined
  /** Records per page, at most 100. */
  limit?: number | undefined
  /** `nextCursor` of the previous page, with the same filters and sort order. */
  cursor?: string | undefined
}

export interface ListSessionsAnswer {
  data: Session[]
  pagination: CursorPagination
}

export interface EndSessionAnswer {
  data: {
    id: string
    deleted: true
  }
}

export interface ListEventsQuery {
  /** Only events after this sequence; `latest` is the newest one now. Default: from the oldest retained event. */
  after?: string | undefined
  /** Only these event types; `task.*` matches all task events. Separate several values with commas to match any of them. */
  types?: string | undefined
  /** Only events of this project. Project id (`prj_…`) or key (`ACME`). */
  projectId?: string | undefined
  /** `desc` lists the newest events first, to be continued with `before`. */
  order?: 'asc' | 'desc' | undefined
  /** With `order=desc`: only events before this sequence. */
  before?: number | undefined
  /** With `order=desc`: only events of this record, by its id or key; of a task with its comments and questions. */
  subject?: string | undefined
  /** With `order=desc`: only changes made by this API key. */
  actor?: string | undefined
  /** With `order=desc`: only events from this time on. */
  since?: string | undefined
  /** With `order=desc`: only events from before this time. */
  until?: string | undefined
  /** Records per page, at most 500. */
  limit?: number | undefined
  /** Seconds to wait for an event where there is none yet. */
  wait?: number | undefined
}

export interface ListEventsAnswer {
  data: LoggedEvent[]
  pagination: EventPagination
}

export interface StreamEventsQuery {
  /** Only events after this sequence; `latest` is the newest one now. Default: from now on. `Last-Event-ID` takes precedence. */
  after?: string | undefined
  /** Only these event types; `task.*` matches all task events. Separate several values with commas to match any of them. */
  types?: string | undefined
  /** Only events of this project. Project id (`prj_…`) or key (`ACME`). */
  projectId?: string | undefined
}

export interface ListInboxQuery {
  /** Only entries that were not read, or all. */
  state?: 'unread' | 'all' | undefined
  /** Only entries that are newer than this one, also where it is gone since. */
  after?: string | undefined
  /** Records per page, at most 100. */
  limit?: number | undefined
  /** `nextCursor` of the previous page, with the same filters and sort order. */
  cursor?: string | undefined
  /** How long to wait for an entry if there is none; with `after`, for a newer one. */
  waitSeconds?: number | undefined
}

export interface ListInboxAnswer {
  data: InboxEntry[]
  pagination: CursorPagination
}

export interface ReadInboxBody {
  /** These entries. */
  ids?: string[] | undefined
  /** This entry and all older ones. */
  upTo?: string | undefined
}

export interface ReadInboxAnswer {
  data: InboxReadCount
}

export interface ListWebhooksQuery {
  /** Records per page, at most 100. */
  limit?: number | undefined
  /** `nextCursor` of the previous page, with the same filters and sort order. */
  cursor?: string | undefined
}

export interface ListWebhooksAnswer {
  data: Webhook[]
  pagination: CursorPagination
}

export interface CreateWebhookBody {
  /** The https URL to send events to, on the public internet. */
  url: string
  /** What is sent: `standard` for signed JSON, `slack` for an incoming webhook of Slack, `teams` for a workflow of Microsoft Teams. The URL of the latter two is a secret and is not shown again. It cannot be changed. */
  format?: 'standard' | 'slack' | 'teams' | undefined
  /** The event types to send; `task.*` matches all task events, `*` matches everything. */
  events?: string[] | undefined
  /** In place of `events`: send what is put into this user's inbox or, with `humans`, into that of any human user, and what waits for any of them: questions to no one in particular, and checks of tasks in review. */
  inboxOf?: string | null | undefined
  /** Send only events of this project. Project id (`prj_…`) or key (`ACME`). */
  projectId?: string | null | undefined
  description?: string | undefined
  /** One that is off sends nothing; on again, it goes on where it was. */
  active?: boolean | undefined
}

export interface CreateWebhookAnswer {
  data: WebhookWithSecret
}

export interface GetWebhookAnswer {
  data: Webhook
}

export interface UpdateWebhookBody {
  /** The https URL to send events to, on the public internet. */
  url?: string | undefined
  /** The event types to send; `task.*` matches all task events, `*` matches everything. */
  events?: string[] | undefined
  /** In place of `events`: send what is put into this user's inbox or, with `humans`, into that of any human user, and what waits for any of them: questions to no one in particular, and checks of tasks in review. */
  inboxOf?: string | null | undefined
  /** Send only events of this project. Project id (`prj_…`) or key (`ACME`). */
  projectId?: string | null | undefined
  description?: string | undefined
  /** One that is off sends nothing; on again, it goes on where it was. */
  active?: boolean | undefined
}

export interface UpdateWebhookAnswer {
  data: Webhook
}

export interface DeleteWebhookAnswer {
  data: {
    id: string
    deleted: true
  }
}

export interface RotateWebhookSecretBody {
  /** How long the old secret also signs deliveries, up to seven days. */
  overlapSeconds?: number | undefined
}

export interface RotateWebhookSecretAnswer {
  data: WebhookWithSecret
}

export interface ListWebhookDeliveriesQuery {
  /** `pending`: before the first attempt. `retrying`: will be attempted again. `failed`: given up. */
  status?: 'pending' | 'retrying' | 'succeeded' | 'failed' | undefined
  /** Records per page, at most 100. */
  limit?: number | undefined
  /** `nextCursor` of the previous page, with the same filters and sort order. */
  cursor?: string | undefined
}

export interface ListWebhookDeliveriesAnswer {
  data: WebhookDelivery[]
  pagination: CursorPagination
}

export interface GetWebhookDeliveryAnswer {
  data: WebhookDelivery
}

export interface RedeliverWebhookDeliveryAnswer {
  data: WebhookDelivery
}

export interface PingWebhookAnswer {
  data: WebhookDelivery
}

export interface ReplayWebhookBody {
  /** The first event to send again. */
  fromSequence: number
  /** The last event to send again; default: the newest. */
  toSequence?: number | undefined
}

export interface ReplayWebhookAnswer {
  data: WebhookReplay
}

export interface GetTaskHistoryQuery {
  /** Show long texts before and after the change instead of a diff. */
  full?: boolean | undefined
  /** Records per page, at most 100. */
  limit?: number | undefined
  /** `nextCursor` of the previous page, with the same filters and sort order. */
  cursor?: string | undefined
}

export interface GetTaskHistoryAnswer {
  data: HistoryEntry[]
  pagination: CursorPagination
}

export interface ListHistoryQuery {
  /** Only changes of this task. */
  task?: string | undefined
  /** Only changes of the knowledge item with this key or id. If no item has the key, the item that had it last, also if that item is deleted. */
  knowledge?: string | undefined
  /** Only changes in this project; of `knowledge`, its project. Project id (`prj_…`) or key (`ACME`). A deleted one by its id. */
  projectId?: string | undefined
  /** Only changes made by this API key. */
  keyId?: string | undefined
  /** Only changes made by this request. */
  requestId?: string | undefined
  /** Only changes from this time on. */
  since?: string | undefined
  /** Only changes from before this time. */
  until?: string | undefined
  /** Show long texts before and after the change instead of a diff. */
  full?: boolean | undefined
  /** Records per page, at most 100. */
  limit?: number | undefined
  /** `nextCursor` of the previous page, with the same filters and sort order. */
  cursor?: string | undefined
}

export interface ListHistoryAnswer {
  data: HistoryEntry[]
  pagination: CursorPagination
}

export type RestoreVersionBody = VersionToRestore

export interface RestoreVersionAnswer {
  data: Task | KnowledgeItem
  /** Links that could not be restored. */
  skipped: SkippedLink[]
}

export interface ListTrashQuery {
  /** Only records of this kind. */
  kind?: 'task' | 'comment' | 'knowledge' | 'project' | undefined
  /** Only what was deleted from this project. Project id (`prj_…`) or key (`ACME`). */
  projectId?: string | undefined
  /** Records per page, at most 100. */
  limit?: number | undefined
  /** `nextCursor` of the previous page, with the same filters and sort order. */
  cursor?: string | undefined
}

export interface ListTrashAnswer {
  data: TrashEntry[]
  pagination: CursorPagination
}

export interface EmptyTrashAnswer {
  data: PurgeResult
}

export interface RestoreTrashEntryAnswer {
  data: RestoredEntry
}

export interface PurgeTrashEntryAnswer {
  data: {
    id: string
    deleted: true
  }
}

export type UndoBody = UndoRequest

export interface UndoAnswer {
  data: UndoReport
}

export interface ListAuditQuery {
  /** Only this action, such as `key.created`, or all of a kind: `key.*`. */
  action?: string | undefined
  /** Only what this key did or tried. */
  keyId?: string | undefined
  /** Only what was done, or only what was refused. */
  result?: 'done' | 'refused' | undefined
  /** Only entries from this time on. */
  since?: string | undefined
  /** Only entries from before this time. */
  until?: string | undefined
  /** Records per page, at most 100. */
  limit?: number | undefined
  /** `nextCursor` of the previous page, with the same filters and sort order. */
  cursor?: string | undefined
}

export interface ListAuditAnswer {
  data: AuditEntry[]
  pagination: CursorPagination
}

export interface GetUsageQuery {
  /** What a row is about. Days and hours are in UTC. */
  by?: 'key' | 'project' | 'day' | 'hour' | undefined
  /** From this time on: 24 hours ago by default, 30 days by `day`. Requests are counted by the hour for two days and by the day for 30, so that for them the period begins with an hour or a day. */
  since?: string | undefined
  /** Only this key. */
  keyId?: string | undefined
  /** Only this project. Project id (`prj_…`) or key (`ACME`). */
  projectId?: string | undefined
}

export interface GetUsageAnswer {
  data: Usage
}

export interface GetMeAnswer {
  data: Me
}

export interface GetTenantAnswer {
  data: Tenant
}

export interface UpdateTenantBody {
  /** Pauses it; null resumes it. */
  paused?: {
    /** Why no work is handed out; whoever asks for some is told. */
    reason: string
  } | null | undefined
}

export interface UpdateTenantAnswer {
  data: Tenant
}

export type RunBatchBody = Batch

export interface RunBatchAnswer {
  /** The response of each operation, in order. */
  data: {
    status: number
    body: Record<string, unknown>
  }[]
}
