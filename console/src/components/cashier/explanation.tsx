import type {
  ExplainedCashierAction,
  ExplainedCashierSignal,
} from '../../../../src/modules/cashier/reading/schema.ts'
import { PageLink } from '../../shell/links.tsx'
import { Adjustments } from '../adjustments.tsx'
import { Facts } from '../facts.tsx'
import { FindingDetails } from '../finding-details.tsx'
import { amountText, wordsOf } from '../format.ts'
import { SignalParts } from '../score-parts.tsx'
import { Time } from '../time.tsx'
import { signalName, storeName } from './words.ts'

type Details = { details: ExplainedCashierAction }

export function CashierExplanation({ details: { action, signals, ...rules } }: Details) {
  const parts = signals.map((part) => ({
    ...part,
    name: signalName(part.signal),
    children: <Finding {...part} />,
  }))
  return (
    <div class="stack">
      <SignalParts score={action.risk_score} parts={parts} />
      <Adjustments {...rules} />
    </div>
  )
}

function Finding({ sentence, ...details }: ExplainedCashierSignal) {
  return (
    <>
      {sentence !== null && <p>{sentence}.</p>}
      <FindingDetails {...details} />
    </>
  )
}

export function CashierActionFacts({ details: { action, order } }: Details) {
  const { cashier_id, amount_cents } = action
  const currency = order?.matched?.currency
  return (
    <Facts
      facts={[
        [
          'Cashier',
          <PageLink to={`/cashiers/${cashier_id}`}>{action.cashier_external_id}</PageLink>,
        ],
        ['Action', wordsOf(action.action_type)],
        ['Amount', amount_cents === null ? null : amountText(amount_cents, currency)],
        ['Reason', action.reason],
        ['Performed', <Time at={action.performed_at} as="exact" />],
        ['Received', <Time at={action.received_at} as="exact" />],
        ['Local hour', `${String(action.local_hour).padStart(2, '0')}:00`],
        ['Terminal', action.edge_device_id],
        ['Store', storeName(action.location)],
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
          'The order was not known when the action was scored.'
        ) : (
          <>
            {amountText(matched.amount_cents, matched.currency)}
            {matched.is_cash && ' in cash'}, rung up by {RUNG_UP_BY[matched.cashier]},{' '}
            <Time at={matched.ordered_at} />
            {matched.refunded_cents > 0 &&
              `; ${amountText(matched.refunded_cents, matched.currency)} refunded earlier`}
          </>
        )}
      </p>
    </>
  )
}

const RUNG_UP_BY = {
  same: 'the same cashier',
  other: 'another cashier',
  unknown: 'an unknown cashier',
} as const
