import { useEffect, useRef } from 'preact/hooks'
import type { CaseRecord } from '../../../../src/modules/reviews/cases/schema.ts'
import { Badge, countText, More, RiskScore, Time } from '../../components/index.ts'
import { LinkList } from '../../components/link-list.tsx'
import { PageLink } from '../../shell/links.tsx'
import { riskText, STATE_NAMES, titleOf } from './case-text.ts'
import styles from './cases.module.css'
import type { CasesState } from './use-cases.ts'

export function CaseItems({ cases, items }: { cases: CasesState; items: readonly CaseRecord[] }) {
  const { filters, current, pages } = cases
  return (
    <nav class={styles['list']} aria-label="Cases">
      <LinkList>
        {items.map((item) => (
          <Item
            key={item.id}
            item={item}
            isCurrent={item.id === current}
            query={{ ...shownFilters(filters), case: item.id }}
            assignee={cases.people[item.assignee_id ?? '']}
          />
        ))}
      </LinkList>
      <More pages={pages} shown={items.length} what="cases" />
    </nav>
  )
}

/** The filters that differ from their defaults. */
export const shownFilters = ({
  state,
  order,
  cause,
  assignee,
  escalated,
}: CasesState['filters']) => ({
  ...(state !== 'active' && { state }),
  ...(order !== 'amount' && { order }),
  ...(cause !== '' && { cause }),
  ...(assignee !== '' && { assignee }),
  ...(escalated !== '' && { escalated }),
})

type ItemProps = {
  item: CaseRecord
  isCurrent: boolean
  query: Record<string, string>
  assignee: string | undefined
}

function Item({ item, isCurrent, query, assignee }: ItemProps) {
  const place = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (isCurrent) place.current?.scrollIntoView({ block: 'nearest' })
  }, [isCurrent])
  const facts = [item.customer, item.country, countText(item.items, 'items')].filter(Boolean)
  return (
    <li ref={place}>
      <PageLink
        to="/cases"
        query={query}
        class={styles['item']}
        aria-current={isCurrent ? 'true' : undefined}
      >
        <span class={styles['head']}>
          <RiskScore score={item.risk_score} level={item.risk_level} />
          <strong>{titleOf(item)}</strong>
        </span>
        <span class={styles['amount']}>{riskText(item)}</span>
        <span class={styles['foot']}>
          <span>{facts.join(' · ')}</span>
          <Time at={item.first_at} as="age" />
          {item.state !== 'open' && <Badge>{STATE_NAMES[item.state]}</Badge>}
          {item.is_escalated && <Badge tone="warn">Escalated</Badge>}
          {item.is_overdue && item.state !== 'closed' && <Badge tone="bad">Overdue</Badge>}
          {item.outcome !== null && <Badge>{item.outcome}</Badge>}
          {assignee !== undefined && <span>{assignee}</span>}
        </span>
      </PageLink>
    </li>
  )
}
