import { useState } from 'preact/hooks'
import type {
  CaseDetails,
  CaseItem,
  CaseLink,
} from '../../../../src/modules/reviews/cases/schema.ts'
import { DecisionBadge } from '../../components/decisions.tsx'
import {
  amountText,
  Badge,
  Button,
  countText,
  Identifier,
  Loaded,
  RiskScore,
  Section,
  Table,
  Time,
} from '../../components/index.ts'
import { ReviewSubject } from '../reviews/review-subject.tsx'
import { deciderOf, reasonOf } from '../reviews/review-text.ts'
import { CaseLists } from './case-lists.tsx'
import { eventText, KIND_NAMES, riskText, STATE_NAMES, shortName, titleOf } from './case-text.ts'
import { type DecisionFields, DecisionForm } from './case-work.tsx'
import styles from './cases.module.css'
import { LinkGraph } from './link-graph.tsx'
import { Timeline } from './timeline.tsx'
import type { CasesState } from './use-cases.ts'

export function CaseDetail({ cases, form }: { cases: CasesState; form: DecisionFields }) {
  return (
    <Loaded read={cases.read} what="the case">
      {(details) => <Details details={details} cases={cases} form={form} />}
    </Loaded>
  )
}

type DetailsProps = { details: CaseDetails; cases: CasesState; form: DecisionFields }

function Details({ details, cases, form }: DetailsProps) {
  const { case: record, items, links, edges, events, people } = details
  const [shown, setShown] = useState('')
  const item = items.find(({ id }) => id === shown) ?? strongest(items)
  const customer = item?.customer ?? null
  return (
    <div class={styles['detail']}>
      <Section
        title={titleOf(record)}
        actions={item && <CaseLists links={links} items={items} item={item} />}
      >
        {item && <p class={styles['reason']}>{reasonOf(item)}</p>}
        <p class="row">
          <RiskScore score={record.risk_score} level={record.risk_level} />
          <Badge>{STATE_NAMES[record.state]}</Badge>
          {record.is_escalated && <Badge tone="warn">Escalated</Badge>}
          <span>
            {riskText(record)} at risk, {countText(record.items, 'items')}, {record.open_items}{' '}
            undecided
          </span>
          <span class="muted">
            from <Time at={record.first_at} /> to <Time at={record.last_at} />, due{' '}
            <Time at={record.due_at} as="age" />
          </span>
        </p>
      </Section>
      <Section title="Decision" class={styles['panel'] ?? ''}>
        <DecisionForm details={details} cases={cases} form={form} />
      </Section>
      <Section title="Items">
        <Items items={items} cases={cases} current={item?.id} onShow={setShown} />
      </Section>
      <Section title="Links">
        <LinkGraph links={links} edges={edges} />
        <Links links={links} />
      </Section>
      {item && <ReviewSubject key={item.subject_id} review={item} />}
      {customer !== null && <Timeline customer={customer} items={items} />}
      {events.length > 0 && (
        <Section title="History">
          <ol class={styles['history']}>
            {events.map((event) => (
              <li key={event.id}>
                <Time at={event.at} /> {event.actor !== null && deciderOf(event.actor, people)}:{' '}
                {eventText(event)}
              </li>
            ))}
          </ol>
        </Section>
      )}
    </div>
  )
}

const strongest = (items: readonly CaseItem[]): CaseItem | undefined =>
  items.toSorted((a, b) => b.risk_score - a.risk_score)[0]

type ItemsProps = {
  items: readonly CaseItem[]
  cases: CasesState
  current: string | undefined
  onShow: (id: string) => void
}

function Items({ items, cases, current, onShow }: ItemsProps) {
  return (
    <Table
      label="Items of the case"
      rows={items}
      keyOf={({ id }) => id}
      isCurrent={({ id }) => id === current}
      columns={[
        {
          label: 'Select',
          hideLabel: true,
          cell: ({ id, external_id }) => (
            <input
              type="checkbox"
              aria-label={`Select ${external_id}`}
              checked={cases.selection.has(id)}
              onChange={(event) => cases.select(id, event.currentTarget.checked)}
            />
          ),
        },
        {
          label: 'Item',
          cell: ({ id, external_id, customer, country }) => (
            <>
              <Button kind="quiet" size="small" onClick={() => onShow(id)}>
                <span class="nowrap">{shortName(external_id)}</span>
              </Button>
              <div class="muted nowrap">{[customer, country].filter(Boolean).join(' · ')}</div>
            </>
          ),
        },
        { label: 'Score', isNumber: true, cell: ({ risk_score }) => risk_score },
        {
          label: 'Amount',
          isNumber: true,
          cell: ({ amount_cents, currency }) =>
            amount_cents === null ? null : amountText(amount_cents, currency),
        },
        { label: 'Received', cell: ({ created_at }) => <Time at={created_at} as="age" /> },
        {
          label: 'Reason and decision',
          isWide: true,
          cell: (item) => (
            <>
              {item.decision && <DecisionBadge decision={item.decision} />} {reasonOf(item)}
            </>
          ),
        },
      ]}
    />
  )
}

function Links({ links }: { links: readonly CaseLink[] }) {
  return (
    <Table
      label="Links of the case"
      rows={links}
      keyOf={({ kind, value }) => `${kind} ${value}`}
      columns={[
        { label: 'Kind', cell: ({ kind }) => KIND_NAMES[kind] },
        { label: 'Value', isWide: true, cell: ({ value }) => <Identifier text={value} /> },
        { label: 'In this case', isNumber: true, cell: ({ items }) => items },
        { label: 'In all cases', isNumber: true, cell: ({ all_items }) => all_items },
        { label: 'Decided frauds', isNumber: true, cell: ({ frauds }) => frauds },
        { label: 'Customers', isNumber: true, cell: ({ customers }) => customers },
      ]}
    />
  )
}
