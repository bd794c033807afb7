/** The result of a replay: rates, precision, amounts and examples of each kind of subjects. */
import type { ComponentChildren } from 'preact'
import type { ComparedResult, ReplayResult } from '../../../../src/modules/orders/replays/schema.ts'
import {
  amountText,
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
  const { checks, cashier_actions } = result
  return (
    <>
      {result.orders === 0 ? <NoOrders /> : <Orders result={result} />}
      {checks && (
        <Result
          result={checks}
          total={checks.compared}
          many="checks"
          title="Checks"
          undecided="Checks are not decided in Vigil, so precision and recall are unknown."
          exampleOf={(one) => ({ ...one, to: `/checks/${one.id}` })}
        >
          <Stored what="check" flag="a score of 50 or more" />
        </Result>
      )}
      {cashier_actions && (
        <Result
          result={cashier_actions}
          total={cashier_actions.compared}
          many="cashier actions"
          title="Cashier actions"
          undecided="Cashier actions of this month have no decisions, so precision and recall are unknown."
          exampleOf={(one) => ({ ...one, to: `/cashiers/actions/${one.id}` })}
        >
          <Stored what="cashier action" flag="a flag" />
        </Result>
      )}
    </>
  )
}

const NoOrders = () => (
  <Section title="Result">
    <Empty title="No orders in this month">
      <p>
        Start a replay of another month from the <PageLink to="/rules">draft</PageLink>.
      </p>
    </Empty>
  </Section>
)

const Orders = ({ result }: { result: ReplayResult }) => (
  <Result
    result={result}
    total={result.orders}
    many="orders"
    title=""
    undecided="Orders of this month have no decisions, so precision and recall are unknown."
    exampleOf={({ order_id, external_order_id, ...one }) => ({
      ...one,
      id: order_id,
      external_id: external_order_id,
      to: `/orders/${order_id}`,
    })}
  />
)

/** Says what a result without a warm-up is based on. */
const Stored = ({ what, flag }: { what: string; flag: string }) => (
  <p class="muted">
    Each {what} of the month was scored again from the signals and counts that are stored with it,
    so there was no warm-up. Flagged means {flag}. Those that were scored before Vigil stored counts
    have none.
  </p>
)

type Example = {
  id: string
  external_id: string
  to: string
  score_then: number
  score_now: number
  reason: string
}

type ResultProps<Of> = {
  result: ComparedResult<Of>
  total: number
  /** Such as `orders`. */
  many: string
  /** Empty for orders, which are the first result. */
  title: string
  /** Said when nothing was decided. */
  undecided: string
  exampleOf: (one: Of) => Example
  children?: ComponentChildren
}

function Result<Of>(props: ResultProps<Of>) {
  const { result, total, many, title, undecided, exampleOf, children } = props
  const titleOf = (text: string) =>
    title === '' ? text : `${title}: ${text.charAt(0).toLowerCase()}${text.slice(1)}`
  return (
    <>
      <Section title={titleOf('Result')}>
        {children}
        <Rates {...{ result, total, many }} />
        <Decided decisions={result.decisions} undecided={undecided} label={titleOf('Precision')} />
        <Amounts amounts={result.amounts} label={titleOf('Amounts')} />
      </Section>
      <Examples
        title={titleOf('Newly flagged')}
        many={many}
        total={result.newly_flagged}
        examples={result.newly_flagged_examples.map(exampleOf)}
      />
      <Examples
        title={titleOf('No longer flagged')}
        many={many}
        total={result.no_longer_flagged}
        examples={result.no_longer_flagged_examples.map(exampleOf)}
      />
    </>
  )
}

type Counted = { result: ComparedResult<unknown>; total: number; many: string }

function Rates({ result, total, many }: Counted) {
  const { flagged_then, flagged_now, decisions } = result
  return (
    <Stats>
      <Stat
        label="Original flag rate"
        value={percentText(result.flag_rate_then, 2)}
        note={`${numberText(flagged_then)} of ${numberText(total)} ${many}`}
      />
      <Stat
        label="Flag rate with draft"
        value={percentText(result.flag_rate_now, 2)}
        note={`${numberText(flagged_now)} of ${numberText(total)} ${many}`}
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
        label={`Legitimate ${many} flagged`}
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

type DecidedProps = Pick<ComparedResult<unknown>, 'decisions'> & {
  undecided: string
  label: string
}

function Decided({ decisions, undecided, label }: DecidedProps) {
  if (decisions.confirmed_fraud + decisions.legitimate === 0) {
    return (
      <p class="muted">
        {undecided} Orders and cashier actions are decided in the{' '}
        <PageLink to="/reviews">review queue</PageLink>.
      </p>
    )
  }
  const rows = [
    {
      name: 'Precision',
      about: 'Share of fraud among what is flagged and has a decision',
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
      label={`${label} and recall`}
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

type AmountsProps = Pick<ComparedResult<unknown>, 'amounts'> & { label: string }

function Amounts({ amounts, label }: AmountsProps) {
  if (amounts.length === 0) return null
  return (
    <Table
      label={label}
      rows={amounts}
      keyOf={({ currency }) => currency}
      columns={[
        { label: 'Amounts', cell: ({ currency }) => currency },
        {
          label: 'Flagged',
          isNumber: true,
          cell: (one) => changeText(one.currency, one.flagged_then_cents, one.flagged_now_cents),
        },
        {
          label: 'Fraud caught',
          isNumber: true,
          cell: (one) =>
            changeText(one.currency, one.frauds_flagged_then_cents, one.frauds_flagged_now_cents),
        },
        {
          label: 'Legitimate flagged',
          isNumber: true,
          cell: (one) =>
            changeText(
              one.currency,
              one.legitimate_flagged_then_cents,
              one.legitimate_flagged_now_cents,
            ),
        },
      ]}
    />
  )
}

const changeText = (currency: string, then: number, now: number): string =>
  `${amountText(then, currency)} → ${amountText(now, currency)}`

type ExamplesProps = { title: string; many: string; total: number; examples: readonly Example[] }

function Examples({ title, many, total, examples }: ExamplesProps) {
  return (
    <Section title={`${title}: ${numberText(total)}`}>
      {examples.length === 0 ? (
        <p class="muted">No {many}.</p>
      ) : (
        <>
          {total > examples.length && (
            <p class="muted">
              The {examples.length} {many} with the largest change in score.
            </p>
          )}
          <Table
            label={title}
            rows={examples}
            keyOf={({ id }) => id}
            columns={[
              {
                label: 'ID',
                cell: ({ id, external_id, to }) => (
                  <PageLink to={to} class={styles['order'] ?? ''}>
                    {external_id === '' ? id : external_id}
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
