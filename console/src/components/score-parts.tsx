/** What a score is made of: the points of each part as one bar, and each part with its reasons below. */
import type { ComponentChildren } from 'preact'
import { Bar, PartsBar } from './bars.tsx'
import { percentText } from './format.ts'
import styles from './score-parts.module.css'

export type ScorePart = {
  /** As the service names it. */
  signal: string
  name: string
  /** 0-100 */
  strength: number
  /** How much of the score it can make on its own, 0-1. */
  weight: number
  points: number
  /** What was found, in words. */
  children?: ComponentChildren
}

export type ScorePartsProps = {
  score: number
  /** Largest first. */
  parts: readonly ScorePart[]
  /** Points that a least score adds. */
  floor?: { points: number; reason: string } | null | undefined
}

const SERIES = [1, 2, 3, 4, 5, 6] as const
const seriesOf = (index: number) => SERIES[index % SERIES.length] ?? 1

export function ScoreParts({ score, parts, floor }: ScorePartsProps) {
  const bars = parts.map(({ name, points }, index) => ({
    label: name,
    value: points,
    series: seriesOf(index),
  }))
  const lifted = floor ? [{ label: 'Least score', value: floor.points, tone: 'bad' as const }] : []
  const rest = { label: 'nothing', value: 100 - score }
  return (
    <div class="stack">
      <div class={styles['whole']}>
        <PartsBar
          label={`Points of 100 that make the score of ${score}`}
          parts={[...bars, ...lifted, ...(score < 100 ? [rest] : [])].filter(
            ({ value }) => value > 0,
          )}
        />
      </div>
      <ul class={styles['parts']}>
        {parts.map((part, index) => (
          <Part key={part.signal} part={part} series={seriesOf(index)} />
        ))}
        {floor && floor.points > 0 && (
          <li class={styles['part']}>
            <p class={styles['head']}>
              <span class={`${styles['key']} tone-bad`} aria-hidden="true" />
              <strong>Least score</strong>
              <span class={styles['points']}>{pointsText(floor.points)}</span>
            </p>
            <p>{floor.reason}.</p>
          </li>
        )}
      </ul>
    </div>
  )
}

function Part({ part, series }: { part: ScorePart; series: 1 | 2 | 3 | 4 | 5 | 6 }) {
  const { name, signal, strength, weight, points, children } = part
  const said = `${name}: strength ${strength} of 100`
  return (
    <li class={styles['part']}>
      <p class={styles['head']}>
        <span
          class={`${styles['key']} ${points > 0 ? `series-${series}` : styles['none']}`}
          aria-hidden="true"
        />
        <strong>{name}</strong> <code class="muted">{signal}</code>
        <span class={styles['points']}>{pointsText(points)}</span>
      </p>
      <div class={styles['measure']}>
        <Bar label={said} value={strength} tone={toneOf(strength)} />
        <span class="muted">
          strength {strength}, weight {percentText(weight, 0)}
        </span>
      </div>
      {children}
    </li>
  )
}

const pointsText = (points: number): string => (points === 1 ? '+1 point' : `+${points} points`)

const toneOf = (strength: number) => (strength >= 70 ? 'bad' : strength >= 50 ? 'warn' : 'info')
