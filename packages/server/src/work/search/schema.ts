import { Type } from 'typebox'

/** What is below is noise, as docs/measurements/search.md shows: searches leave it out by default. */
export const noiseScore = 0.15
/** What is below is hardly related. */
export const defaultSimilarScore = 0.3
/** What is at least so similar is probably the same. */
export const duplicateScore = 0.5
export const maxDuplicates = 3

export const Score = Type.Number({
  minimum: 0,
  maximum: 1,
  description: 'Relevance: high from .7, medium from .4, low below. Comparable between searches.',
})

export const MinScore = (byDefault: number) =>
  Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, default: byDefault, description: 'Leave out hits with a lower score.' }),
  )

export const Semantic = Type.Boolean({
  description: 'Whether semantic ranking was used. False if the embedding model is off or unavailable.',
})

export const Relaxed = Type.Optional(
  Type.Literal(true, {
    description: 'Nothing holds the quoted phrase, so its words were searched for without quotes.',
  }),
)

export const Complete = Type.Optional(
  Type.Literal(false, {
    description:
      'The search index is being built, or at least 100 records wait for semantic search: repeat the search.',
  }),
)

export const Explain = Type.Optional(
  Type.Boolean({ default: false, description: 'Add the parts of the score to each hit.' }),
)

export const Explanation = Type.Object(
  {
    by: Type.Enum(['exact', 'words', 'words and meaning'], {
      description:
        '`exact`: the query is a key or id. `words`: semantic ranking was not used, e.g. because the text is not embedded yet.',
    }),
    bm25: Type.Number(),
    strength: Type.Number({ description: 'BM25 divided by the square root of its maximum.' }),
    lexical: Type.Number({ description: 'BM25 as a share of its maximum for this query.' }),
    coverage: Type.Number({ description: "Share of the query's words found, weighted by how rare they are." }),
    cosine: Type.Union([Type.Number(), Type.Null()], { description: 'Semantic similarity.' }),
  },
  { $id: 'Explanation' },
)

export const defaultPassages = 1
export const Passages = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: 5,
    default: defaultPassages,
    description: 'How many passages of each item are answered at most.',
  }),
)
export const WithoutContent = Type.Optional(Type.Enum(['key'], { description: '`key` omits the content.' }))
