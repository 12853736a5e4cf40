import type { ReactNode } from 'react'
import { numberText } from './count'
import '../styles/charts.css'

interface SparklineProps {
  values: readonly number[]
  label: string
  width?: number
  height?: number
}

const gap = 1

/** Bars over time, oldest first, with how much the highest stands for. */
export const Sparkline = ({ values, label, width = 92, height = 20 }: SparklineProps): ReactNode => {
  const maxValue = Math.max(1, ...values)
  const barWidth = (width - gap * (values.length - 1)) / values.length
  return (
    <span className="sparkline-box">
      <svg className="sparkline" width={width} height={height} role="img" aria-label={label}>
        <title>{label}</title>
        {values.map((value, index) => {
          const barHeight = value === 0 ? 1.5 : Math.max(3, (value / maxValue) * height)
          return (
            <rect
              // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its place in time
              key={index}
              x={index * (barWidth + gap)}
              y={height - barHeight}
              width={barWidth}
              height={barHeight}
              rx={Math.min(1.2, barWidth / 2)}
              className={value === 0 ? 'bar none' : 'bar'}
            />
          )
        })}
      </svg>
      <span className="sparkline-max num" title="The highest bar" aria-hidden="true">
        {numberText(Math.max(0, ...values))}
      </span>
    </span>
  )
}

/** How much of a limit is used. */
export const Meter = ({ used, limit, label }: { used: number; limit: number; label: string }): ReactNode => {
  const share = limit === 0 ? 1 : Math.min(1, used / limit)
  const level = share > 0.9 ? 'high' : share > 0.7 ? 'warn' : 'ok'
  return (
    <div
      className="meter"
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={limit}
      aria-valuenow={used}
      data-level={level}
    >
      <span style={{ width: `${Math.max(share * 100, used > 0 ? 0.6 : 0)}%` }} />
    </div>
  )
}
