import type { ComponentChildren } from 'preact'

export type Tone = 'neutral' | 'good' | 'warn' | 'bad' | 'info'

/** A state in a word. The word says it; the colour only helps. */
export function Badge({
  tone = 'neutral',
  children,
}: {
  tone?: Tone
  children: ComponentChildren
}) {
  return <span class={`badge badge-${tone}`}>{children}</span>
}

export type RiskLevel = 'low' | 'medium' | 'high' | 'critical'

const RISK_TONES: Record<RiskLevel, Tone> = {
  low: 'good',
  medium: 'info',
  high: 'warn',
  critical: 'bad',
}

/** A score of 0 to 100 with its level. */
export function RiskScore({ score, level }: { score: number; level: RiskLevel }) {
  return (
    <span class={`risk badge-${RISK_TONES[level]}`}>
      <span class="risk-score">{score}</span> {level}
    </span>
  )
}

/** @param tone warn when the reader has to do something, bad when something went wrong */
export function Notice({ tone = 'info', children }: { tone?: Tone; children: ComponentChildren }) {
  return (
    <div class={`notice badge-${tone}`} role="note">
      {children}
    </div>
  )
}
