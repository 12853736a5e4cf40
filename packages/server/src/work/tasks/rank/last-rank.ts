/** Ranks begin as times: so many fit between two milliseconds. */
const ranksPerMs = 1_024
/** What is left between two tasks of the same millisecond. */
export const rankStep = 64

export const firstRankOf = (createdAtMs: number): number => createdAtMs * ranksPerMs

/** Raises the last rank of a project to the present time, or a step further; its parameters come first. */
export const raisedRank = `last_rank = case when last_rank < cast(? as bigint) then cast(? as bigint) else last_rank + ${rankStep} end`

export const raisedRankParams = (nowMs: number): number[] => [firstRankOf(nowMs), firstRankOf(nowMs)]
