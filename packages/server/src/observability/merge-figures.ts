/** A family of the text format: its `# HELP` and `# TYPE`, then its samples. */
const family = /^# HELP (\S+) [^\n]*\n# TYPE [^\n]*\n/

const labelled = (sample: string, label: string): string =>
  sample.replace(/^(\w+)(?:\{([^\n]*)\})? /, (_all, name: string, labels = '') =>
    labels === '' ? `${name}{${label}} ` : `${name}{${label},${labels}} `,
  )

/**
 * The figures of several processes as one text for Prometheus, with a label that says whose each is: a sum would fall when
 * a process is replaced. The format wants all samples of a family together.
 */
export const mergeFigures = (texts: ReadonlyMap<number, string>): string => {
  const families = new Map<string, { head: string; samples: string[] }>()
  for (const [process, text] of texts) {
    for (const part of text.split(/^(?=# HELP )/m)) {
      const [head, name] = family.exec(part) ?? []
      if (head === undefined) continue
      const merged = families.get(name!) ?? { head, samples: [] }
      families.set(name!, merged)
      const samples = part.slice(head.length).split('\n').filter(Boolean)
      merged.samples.push(...samples.map((sample) => labelled(sample, `process="${process}"`)))
    }
  }
  return [...families.values()].map(({ head, samples }) => `${head}${samples.join('\n')}\n`).join('\n')
}
