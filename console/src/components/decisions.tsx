import type { ComponentChildren } from 'preact'
import { Badge } from './badge.tsx'
import styles from './decisions.module.css'
import { Time } from './time.tsx'

export type Decision = 'confirmed_fraud' | 'legitimate'

type Decided = { decision: Decision; decided_at: string; decided_by: string; note: string | null }

const NAMES: Record<Decision, string> = { confirmed_fraud: 'fraud', legitimate: 'legitimate' }

export const decisionName = (decision: Decision): string => NAMES[decision]

export const DecisionBadge = ({ decision }: { decision: Decision }) => (
  <Badge tone={decision === 'legitimate' ? 'good' : 'bad'}>{NAMES[decision]}</Badge>
)

type DecisionListProps<Item> = {
  /** In the order in which they were made. */
  decisions: readonly Item[]
  /** The name of the person who decided. */
  nameOf: (item: Item) => ComponentChildren
}

export function DecisionList<Item extends Decided>(props: DecisionListProps<Item>) {
  const { decisions, nameOf } = props
  if (decisions.length === 0) return null
  return (
    <ol class={styles['decisions']}>
      {decisions.map((item) => (
        <li key={item.decided_at}>
          <DecisionBadge decision={item.decision} /> <Time at={item.decided_at} />, {nameOf(item)}
          {item.note !== null && <p class={styles['note']}>{item.note}</p>}
        </li>
      ))}
    </ol>
  )
}
