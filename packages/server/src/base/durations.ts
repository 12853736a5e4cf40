export type ObserveSeconds = (seconds: number) => void

interface Durations {
  /** Finds or opens the series with these labels; whoever observes often keeps it. */
  series(labels?: Readonly<Record<string, string>>): ObserveSeconds
  /** In Prometheus' text format. */
  text(): string
}

interface Series {
  labels: string
  counts: number[]
  sum: number
}

/** JSON escapes quotes, backslashes and line ends as Prometheus asks. */
const labelText = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(',')

/** A histogram whose observation is a few comparisons: the library's costs more than a small statement does. */
export const createDurations = (name: string, help: string, bounds: readonly number[]): Durations => {
  const all = new Map<string, Series>()

  const seriesText = ({ labels, counts, sum }: Series): string => {
    const before = labels === '' ? '' : `${labels},`
    let total = 0
    let text = ''
    for (const [at, bound] of [...bounds, '+Inf'].entries()) {
      total += counts[at]!
      text += `${name}_bucket{${before}le="${bound}"} ${total}\n`
    }
    return `${text}${name}_sum{${labels}} ${sum}\n${name}_count{${labels}} ${total}\n`
  }

  return {
    series: (labels = {}) => {
      const key = labelText(labels)
      const one = all.get(key) ?? { labels: key, counts: [...bounds, 0].fill(0), sum: 0 }
      all.set(key, one)
      return (seconds) => {
        let at = 0
        while (at < bounds.length && seconds > bounds[at]!) at++
        one.counts[at]!++
        one.sum += seconds
      }
    },
    text: () => `# HELP ${name} ${help}\n# TYPE ${name} histogram\n${[...all.values()].map(seriesText).join('')}`,
  }
}
