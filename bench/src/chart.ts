import type { Measured } from './measure.js'

export interface Series {
  title: string
  results: readonly Measured[]
}

const width = 860
const labelWidth = 290
const barHeight = 16
const rowHeight = 24
const headHeight = 40

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

const chartOf = ({ title, results }: Series, top: number): string => {
  const most = Math.max(...results.flatMap(({ cpuRatio, target }) => [cpuRatio, target]))
  const scale = (width - labelWidth - 70) / most
  const rows = results.map(({ operation, cpuRatio, target }, at) => {
    const y = top + headHeight + at * rowHeight
    const end = labelWidth + cpuRatio * scale
    const mark = labelWidth + target * scale
    return `<text x="${labelWidth - 8}" y="${y + 12}" text-anchor="end">${escaped(operation)}</text>
<rect x="${labelWidth}" y="${y}" width="${(cpuRatio * scale).toFixed(1)}" height="${barHeight}" fill="${cpuRatio <= target ? '#2f7d5b' : '#b8533a'}"/>
<line x1="${mark.toFixed(1)}" x2="${mark.toFixed(1)}" y1="${y - 3}" y2="${y + barHeight + 3}" stroke="#222" stroke-dasharray="3 2"/>
<text x="${(Math.max(end, mark) + 6).toFixed(1)}" y="${y + 12}">${cpuRatio.toFixed(2)}</text>`
  })
  return `<text x="8" y="${top + 22}" font-weight="bold">${escaped(title)}</text>\n${rows.join('\n')}`
}

/** Bars of CPU a request as a multiple of bare Fastify; a dashed line is the most it may be. */
export const chart = (series: readonly Series[]): string => {
  let top = 0
  const parts = series.map((one) => {
    const part = chartOf(one, top)
    top += headHeight + one.results.length * rowHeight + 16
    return part
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${top}" font-family="sans-serif" font-size="12">
<rect width="${width}" height="${top}" fill="#fff"/>
${parts.join('\n')}
</svg>
`
}
