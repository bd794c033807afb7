/** The reviews at the side: one line why, one who and when. */
import { useEffect, useRef } from 'preact/hooks'
import type { ReviewItem } from '../../../../src/modules/reviews/schema.ts'
import { Badge, More, RiskScore, Time } from '../../components/index.ts'
import { PageLink } from '../../shell/links.tsx'
import type { Queue } from './queue.ts'
import styles from './reviews.module.css'
import { DECISION_WORDS, deciderOf, reasonOf, SUBJECT_WORDS } from './words.ts'

export function ReviewItems({ queue, items }: { queue: Queue; items: readonly ReviewItem[] }) {
  const { filters, current, pages, people } = queue
  const { state, subject, order } = filters
  const view = {
    ...(state !== 'open' && { state }),
    ...(subject !== '' && { subject }),
    ...(order !== 'newest' && { order }),
  }
  return (
    <nav class={styles['list']} aria-label="Reviews">
      <ol>
        {items.map((item) => (
          <Item
            key={item.id}
            item={item}
            isCurrent={item.id === current}
            query={{ ...view, review: item.id }}
            people={people}
          />
        ))}
      </ol>
      <More pages={pages} shown={items.length} what={items.length === 1 ? 'review' : 'reviews'} />
    </nav>
  )
}

function Item({
  item,
  isCurrent,
  query,
  people,
}: {
  item: ReviewItem
  isCurrent: boolean
  query: Record<string, string>
  people: Record<string, string>
}) {
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
          <span>{SUBJECT_WORDS[item.subject]}</span>
          <Time at={item.created_at} as="age" />
          {item.decision !== null && (
            <Badge tone={item.decision === 'legitimate' ? 'good' : 'bad'}>
              {DECISION_WORDS[item.decision]}
            </Badge>
          )}
          {item.decided_by !== null && <span>{deciderOf(item.decided_by, people)}</span>}
        </span>
      </PageLink>
    </li>
  )
}
