import type { ComponentChildren } from 'preact'

/** A missing value is shown as a dash. */
export type Fact = readonly [label: string, value: ComponentChildren]

/** Labels and values that describe one thing. */
export function Facts({ facts }: { facts: readonly (Fact | false | undefined)[] }) {
  return (
    <dl class="facts">
      {facts.map((fact) =>
        fact ? (
          <div key={fact[0]}>
            <dt>{fact[0]}</dt>
            <dd>{fact[1] ?? <span class="muted">–</span>}</dd>
          </div>
        ) : null,
      )}
    </dl>
  )
}

export type StatProps = {
  label: string
  value: ComponentChildren
  /** Below the number, such as a comparison. */
  note?: ComponentChildren
}

/** One key figure. */
export function Stat({ label, value, note }: StatProps) {
  return (
    <div class="stat">
      <dt>{label}</dt>
      <dd class="stat-value">{value}</dd>
      {note !== undefined && <dd class="stat-note">{note}</dd>}
    </div>
  )
}

export function Stats({ children }: { children: ComponentChildren }) {
  return <dl class="stats">{children}</dl>
}
