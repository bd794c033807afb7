/** Why a cashier action got its score: its seven signals, each with what was found, in words. */
import type {
  ExplainedCashierAction,
  ExplainedCashierSignal,
} from '../../../../src/modules/cashier/reading/schema.ts'
import { PageLink } from '../../shell/links.tsx'
import { Facts } from '../facts.tsx'
import { amountText } from '../format.ts'
import { ScoreParts } from '../score-parts.tsx'
import { Time } from '../time.tsx'
import { placeName, signalName, wordsOf } from './words.ts'

export function CashierExplanation({
  score,
  signals,
}: {
  score: number
  signals: readonly ExplainedCashierSignal[]
}) {
  const parts = signals.filter(({ strength }) => strength > 0)
  const silent = signals.filter(({ strength }) => strength === 0)
  return (
    <div class="stack">
      {parts.length === 0 ? (
        <p class="muted">Nothing stood out.</p>
      ) : (
        <ScoreParts
          score={score}
          parts={parts.map((part) => ({
            ...part,
            name: signalName(part.signal),
            points: Math.round(part.share * score),
            children: <Finding part={part} />,
          }))}
        />
      )}
      {silent.length > 0 && (
        <p class="muted">
          Counted nothing: {silent.map(({ signal }) => signalName(signal).toLowerCase()).join(', ')}
          .
        </p>
      )}
    </div>
  )
}

function Finding({ part: { finding, sentence, numbers } }: { part: ExplainedCashierSignal }) {
  const told = Object.entries(numbers)
  return (
    <>
      {sentence !== null && <p>{sentence}.</p>}
      {told.length > 0 && (
        <details>
          <summary class="muted">
            Measured{finding !== null && ': '}
            {finding !== null && <code>{finding}</code>}
          </summary>
          <Facts facts={told.map(([name, value]) => [wordsOf(name), value])} />
        </details>
      )}
    </>
  )
}

/** What was done, by whom, where, and the order that it was about. */
export function CashierActionFacts({ details }: { details: ExplainedCashierAction }) {
  const { action, order } = details
  const currency = order?.matched?.currency
  return (
    <Facts
      facts={[
        [
          'Cashier',
          <PageLink key="cashier" to={`/cashiers/${action.cashier_id}`}>
            {action.cashier_external_id}
          </PageLink>,
        ],
        ['Action', wordsOf(action.action_type)],
        ['Amount', action.amount_cents === null ? null : amountText(action.amount_cents, currency)],
        ['Reason given', action.reason],
        ['Performed', <Time key="performed" at={action.performed_at} as="exact" />],
        ['Received', <Time key="received" at={action.received_at} as="exact" />],
        ['Hour there', `${String(action.local_hour).padStart(2, '0')}:00`],
        ['Till', action.edge_device_id],
        ['Place', placeName(action.location)],
        ['Order', order && <OrderFacts order={order} />],
      ]}
    />
  )
}

function OrderFacts({ order }: { order: NonNullable<ExplainedCashierAction['order']> }) {
  const { external_order_id, id, matched } = order
  return (
    <>
      {id === null ? (
        external_order_id
      ) : (
        <PageLink to={`/orders/${id}`}>{external_order_id}</PageLink>
      )}
      <p class="muted">
        {matched === null ? (
          'Not known when the action was judged.'
        ) : (
          <>
            {amountText(matched.amount_cents, matched.currency)}
            {matched.is_cash && ' in cash'}, rung up by {RUNG_UP_BY[matched.cashier]},{' '}
            <Time at={matched.ordered_at} />
            {matched.refunded_cents > 0 &&
              `; ${amountText(matched.refunded_cents, matched.currency)} were refunded before`}
          </>
        )}
      </p>
    </>
  )
}

const RUNG_UP_BY = {
  same: 'the same cashier',
  other: 'another cashier',
  unknown: 'nobody that was named',
} as const
