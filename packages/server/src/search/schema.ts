import { Type } from 'typebox'

export const Semantic = Type.Boolean({
  description: 'Whether meaning had a part in this search. False: words alone, because the model is off or away.',
})

export const Explain = Type.Optional(
  Type.Boolean({ default: false, description: 'Add to each hit what its score is made of.' }),
)

export const Explanation = Type.Object(
  {
    by: Type.Enum(['exact', 'words', 'words and meaning'], {
      description: '`exact`: the query is its key or id. `words`: meaning had no part, as the text has no vector yet.',
    }),
    bm25: Type.Number(),
    strength: Type.Number({ description: 'BM25 over the root of the most it could be.' }),
    lexical: Type.Number({ description: "BM25 as a share of the most that the query's words could give." }),
    coverage: Type.Number({ description: "Share of the query's words found, weighted by how rare they are." }),
    cosine: Type.Union([Type.Number(), Type.Null()], { description: 'Nearness in meaning.' }),
  },
  { $id: 'Explanation' },
)
