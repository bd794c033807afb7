import type { ReplayExample, ReplayResult } from '../../../../src/modules/orders/replays/schema.ts'
import {
  Empty,
  numberText,
  percentText,
  Section,
  Stat,
  Stats,
  Table,
} from '../../components/index.ts'
import { PageLink } from '../../shell/links.tsx'
import styles from './rules.module.css'

export function ReplayResults({ result }: { result: ReplayResult }) {
  if (result.orders === 0) {
    return (
      <Section title="Result">
        <Empty title="No orders in this month">
          <p>
            Start a replay of another month from the <PageLink to="/rules">draft</PageLink>.
          </p>
        </Empty>
      </Section>
    )
  }
  return (
    <>
      <Section title="Result">
        <Rates result={result} />
        <Decided result={result} />
      </Section>
      <Examples
        title="Newly flagged"
        total={result.newly_flagged}
        examples={result.newly_flagged_examples}
      />
      <Examples
        title="No longer flagged"
        total={result.no_longer_flagged}
        examples={result.no_longer_flagged_examples}
      />
    </>
  )
}

function Rates({ result }: { result: ReplayResult }) {
  const { orders, flagged_then, flagged_now, decisions } = result
  return (
    <Stats>
      <Stat
        label="Original flag rate"
        value={percentText(result.flag_rate_then, 2)}
        note={`${numberText(flagged_then)} of ${numberText(orders)} orders`}
      />
      <Stat
        label="Flag rate with draft"
        value={percentText(result.flag_rate_now, 2)}
        note={`${numberText(flagged_now)} of ${numberText(orders)} orders`}
      />
      <Stat
        label="Frauds newly flagged"
        value={numberText(decisions.frauds_gained)}
        note={`of ${numberText(decisions.confirmed_fraud)} confirmed frauds`}
      />
      <Stat
        label="Frauds no longer flagged"
        value={numberText(decisions.frauds_lost)}
        note="flagged originally, not with the draft"
      />
      <Stat
        label="Legitimate orders flagged"
        value={`${numberText(decisions.legitimate_flagged_then)} → ${numberText(decisions.legitimate_flagged_now)}`}
        note={`of ${numberText(decisions.legitimate)} marked as legitimate`}
      />
      <Stat
        label="Unchanged score"
        value={percentText(result.same_score_rate)}
        note={`${percentText(result.same_flag_rate)} with unchanged flag`}
      />
    </Stats>
  )
}

function Decided({ result: { decisions } }: { result: ReplayResult }) {
  if (decisions.confirmed_fraud + decisions.legitimate === 0) {
    return (
      <p class="muted">
        Orders of this month have no decisions, so precision and recall are unknown. Decide orders
        in the <PageLink to="/reviews">review queue</PageLink>.
      </p>
    )
  }
  const rows = [
    {
      name: 'Precision',
      about: 'Share of fraud among flagged orders with a decision',
      before: decisions.precision_then,
      now: decisions.precision_now,
    },
    {
      name: 'Recall',
      about: 'Share of confirmed frauds that are flagged',
      before: decisions.recall_then,
      now: decisions.recall_now,
    },
  ]
  return (
    <Table
      label="Precision and recall"
      rows={rows}
      keyOf={({ name }) => name}
      columns={[
        {
          label: 'Measure',
          cell: ({ name, about }) => (
            <>
              <strong>{name}</strong>
              <p class="muted">{about}</p>
            </>
          ),
        },
        { label: 'Original', cell: ({ before }) => percentText(before), isNumber: true },
        { label: 'Draft', cell: ({ now }) => percentText(now), isNumber: true },
      ]}
    />
  )
}

type ExamplesProps = { title: string; total: number; examples: readonly ReplayExample[] }

function Examples({ title, total, examples }: ExamplesProps) {
  return (
    <Section title={`${title}: ${numberText(total)}`}>
      {examples.length === 0 ? (
        <p class="muted">No orders.</p>
      ) : (
        <>
          {total > examples.length && (
            <p class="muted">The {examples.length} orders with the largest change in score.</p>
          )}
          <Table
            label={title}
            rows={examples}
            keyOf={({ order_id }) => order_id}
            columns={[
              {
                label: 'Order',
                cell: ({ order_id, external_order_id }) => (
                  <PageLink to={`/orders/${order_id}`} class={styles['order'] ?? ''}>
                    {external_order_id}
                  </PageLink>
                ),
              },
              {
                label: 'Score',
                isNumber: true,
                cell: ({ score_then, score_now }) => `${score_then} → ${score_now}`,
              },
              { label: 'Reason', cell: ({ reason }) => reason, isWide: true },
            ]}
          />
        </>
      )}
    </Section>
  )
}
