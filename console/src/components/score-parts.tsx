/** How a score adds up: the points of each part in one bar, then each part with its reasons. */
import type { ComponentChildren } from 'preact'
import { Bar, PartsBar, seriesStyle } from './bars.tsx'
import { percentText } from './format.ts'
import styles from './score-parts.module.css'

export type ScorePart = {
  /** Name in the API. */
  signal: string
  name: string
  /** 0-100 */
  strength: number
  /** Largest share of the score that it can contribute alone, 0-1. */
  weight: number
  points: number
  /** The findings. */
  children?: ComponentChildren
}

export type ScorePartsProps = {
  score: number
  /** Largest first. */
  parts: readonly ScorePart[]
  /** Points added by a minimum score. */
  floor?: { points: number; reason: string } | null | undefined
}

const seriesOf = (index: number) => (index % 6) + 1

export function ScoreParts({ score, parts, floor }: ScorePartsProps) {
  const bars = parts.map(({ name, points }, index) => ({
    label: name,
    value: points,
    series: seriesOf(index),
  }))
  const lifted = floor
    ? [{ label: 'Minimum score', value: floor.points, tone: 'bad' as const }]
    : []
  const rest = { label: 'unused', value: 100 - score }
  return (
    <div class="stack">
      <div class={styles['whole']}>
        <PartsBar
          label={`Points that add up to the score of ${score}`}
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
              <strong>Minimum score</strong>
              <span class={styles['points']}>{pointsText(floor.points)}</span>
            </p>
            <p>{floor.reason}.</p>
          </li>
        )}
      </ul>
    </div>
  )
}

/** The parts that have points, then the names of the others. */
export function SignalParts({ score, parts }: ScorePartsProps) {
  const found = parts.filter(({ points }) => points > 0)
  const silent = parts.filter(({ points }) => points === 0)
  return (
    <>
      {found.length === 0 ? (
        <p class="muted">No findings.</p>
      ) : (
        <ScoreParts score={score} parts={found} />
      )}
      {silent.length > 0 && (
        <p class="muted">
          No points from: {silent.map(({ name }) => name.toLowerCase()).join(', ')}.
        </p>
      )}
    </>
  )
}

function Part({ part, series }: { part: ScorePart; series: number }) {
  const { name, signal, strength, weight, points, children } = part
  const said = `${name}: strength ${strength} of 100`
  return (
    <li class={styles['part']}>
      <p class={styles['head']}>
        <span
          class={`${styles['key']} ${styles['none']}`}
          style={points > 0 ? seriesStyle(series) : {}}
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
