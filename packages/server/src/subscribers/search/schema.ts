import { type Static, Type } from 'typebox'
import { Limit, maxReferenceLength, ProjectRefText } from '../../base/fields.js'
import { KnowledgeSearch } from '../../work/knowledge/schema.js'
import { Explain, MinScore, noiseScore } from '../../work/search/schema.js'

export const searchedKinds = ['tasks', 'knowledge'] as const
export type SearchedKind = (typeof searchedKinds)[number]

/** Of knowledge; tasks have none of them. */
const { tag, trust, state, passages, fields } = KnowledgeSearch.properties

export const SearchEverything = Type.Object(
  {
    q: Type.String({ description: 'Text to search for.', examples: ['login redirect'] }),
    in: Type.Optional(
      Type.Array(Type.Enum([...searchedKinds]), {
        maxItems: searchedKinds.length,
        description: 'What to search: `tasks`, `knowledge` or both. Default: what the key may read.',
      }),
    ),
    projectId: Type.Optional(Type.String({ minLength: 1, maxLength: maxReferenceLength, description: ProjectRefText })),
    includeTenant: Type.Optional(
      Type.Boolean({ default: false, description: 'With `projectId`: include tenant-wide knowledge.' }),
    ),
    tag,
    trust,
    state,
    limit: Type.Optional(Limit(10, 100)),
    minScore: MinScore(noiseScore),
    passages,
    fields,
    explain: Explain,
  },
  { additionalProperties: false },
)
export type SearchEverything = Static<typeof SearchEverything>
