import type { ComponentChildren } from 'preact'
import { wordsOf } from './format.ts'
import type { Column } from './table.tsx'

export type Tone = 'neutral' | 'good' | 'warn' | 'bad' | 'info'

/** A state in a word. Color only repeats what the word says. */
type BadgeProps = { tone?: Tone; children: ComponentChildren }

export function Badge({ tone = 'neutral', children }: BadgeProps) {
  return <span class={`badge badge-${tone}`}>{children}</span>
}

export const Flags = ({ flags }: { flags: readonly string[] }) => (
  <>
    {flags.map((flag) => (
      <Badge key={flag} tone="warn">
        {wordsOf(flag)}
      </Badge>
    ))}
  </>
)

/** The first flag and the number of the others, on one line of a table. */
export function FlagsInLine({ flags: [first, ...others] }: { flags: readonly string[] }) {
  if (first === undefined) return null
  const words = others.map(wordsOf).join(', ')
  return (
    <span class="nowrap">
      <Badge tone="warn">{wordsOf(first)}</Badge>
      {others.length > 0 && (
        <span class="badge badge-neutral" title={words}>
          +{others.length}
          <span class="visually-hidden"> {words}</span>
        </span>
      )}
    </span>
  )
}

const RISK_TONES = { low: 'good', medium: 'info', high: 'warn', critical: 'bad' } as const
export type RiskLevel = keyof typeof RISK_TONES

/** A score of 0 to 100 with its level. */
export function RiskScore({ score, level }: { score: number; level: RiskLevel }) {
  return (
    <span class={`risk badge-${RISK_TONES[level]}`}>
      <span class="risk-score">{score}</span> {level}
    </span>
  )
}

export const SCORE_COLUMN: Column<{ risk_score: number; risk_level: RiskLevel }> = {
  label: 'Score',
  cell: ({ risk_score, risk_level }) => <RiskScore score={risk_score} level={risk_level} />,
}

/** @param tone `warn` when the reader has to act, `bad` when something went wrong */
export function Notice({ tone = 'info', children }: BadgeProps) {
  return (
    <div class={`notice badge-${tone}`} role="note">
      {children}
    </div>
  )
}
