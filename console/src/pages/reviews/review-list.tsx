import { useEffect, useRef } from 'preact/hooks'
import type { ReviewItem } from '../../../../src/modules/reviews/schema.ts'
import type { Query } from '../../api/client.ts'
import { DecisionBadge } from '../../components/decisions.tsx'
import { More, RiskScore, Time } from '../../components/index.ts'
import { LinkList } from '../../components/link-list.tsx'
import { PageLink } from '../../shell/links.tsx'
import { deciderOf, reasonOf, SUBJECT_NAMES } from './review-text.ts'
import styles from './reviews.module.css'
import type { QueueState } from './use-queue.ts'

export function ReviewItems({ queue, items }: { queue: QueueState; items: readonly ReviewItem[] }) {
  const { filters, current, pages, people } = queue
  return (
    <nav class={styles['list']} aria-label="Reviews">
      <LinkList>
        {items.map((item) => (
          <Item
            key={item.id}
            item={item}
            isCurrent={item.id === current}
            query={{ ...shownFilters(filters), review: item.id }}
            people={people}
          />
        ))}
      </LinkList>
      <More pages={pages} shown={items.length} what="reviews" />
    </nav>
  )
}

/** The filters that differ from their defaults. */
export const shownFilters = ({ state, subject, order }: QueueState['filters']) => ({
  ...(state !== 'open' && { state }),
  ...(subject !== '' && { subject }),
  ...(order !== 'newest' && { order }),
})

type People = QueueState['people']
type ItemProps = { item: ReviewItem; isCurrent: boolean; query: Query; people: People }

function Item({ item, isCurrent, query, people }: ItemProps) {
  const place = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (isCurrent) place.current?.scrollIntoView({ block: 'nearest' })
  }, [isCurrent])
  return (
    <li ref={place}>
      <PageLink
        to="/reviews"
        query={query}
        class={styles['item']}
        aria-current={isCurrent ? 'true' : undefined}
      >
        <span class={styles['item-head']}>
          <RiskScore score={item.risk_score} level={item.risk_level} />
          <strong class={styles['name']}>{item.external_id}</strong>
        </span>
        <span class={styles['item-reason']}>{reasonOf(item)}</span>
        <span class={styles['item-foot']}>
          <span>{SUBJECT_NAMES[item.subject]}</span>
          <Time at={item.created_at} as="age" />
          {item.decision !== null && <DecisionBadge decision={item.decision} />}
          {item.decided_by !== null && <span>{deciderOf(item.decided_by, people)}</span>}
        </span>
      </PageLink>
    </li>
  )
}
