/** What stays in one line, so that columns of tables do not shrink to a word. */
import type { ComponentChildren } from 'preact'
import { durationText, Time, type TimeProps } from '../../components/index.ts'
import styles from './line.module.css'

export const Line = ({ children }: { children: ComponentChildren }) => (
  <span class={styles['line']}>{children}</span>
)

export const When = (props: TimeProps) => (
  <Line>
    <Time {...props} />
  </Line>
)

/** How long after something else; the time itself on hover. */
export function After({ from, at }: { from: string; at: string | null }) {
  if (at === null) return <span class="muted">–</span>
  const ms = Math.max(0, Date.parse(at) - Date.parse(from))
  return (
    <Line>
      <time dateTime={at} title={at.replace('T', ' ').replace('Z', ' UTC')}>
        after {durationText(ms)}
      </time>
    </Line>
  )
}
