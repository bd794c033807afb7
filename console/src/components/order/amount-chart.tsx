/** Order amounts over time as points, with the usual range as a band. */
import type { AmountBand, OrderListItem } from '../../../../src/modules/orders/reading/schema.ts'
import type { Answer } from '../../api/client.ts'
import { amountText, countText, dayText } from '../format.ts'
import styles from './charts.module.css'

type Order = Pick<
  Answer<OrderListItem>,
  'id' | 'amount_cents' | 'currency' | 'ordered_at' | 'risk_score'
>

export type AmountChartProps = {
  band: Answer<AmountBand> | undefined
  /** In any order; orders in other currencies are left out. */
  orders: readonly Order[]
  currency: string
  /** Id of the highlighted order. */
  current?: string | undefined
}

const WIDTH = 400
const HEIGHT = 130
const SIDE = 8
const BOTTOM = 8
const REVIEW_SCORE = 50

export function AmountChart({ band, orders, currency, current }: AmountChartProps) {
  const drawn = orders.filter((order) => order.currency === currency)
  if (drawn.length === 0) return null
  const times = drawn.map(({ ordered_at }) => Date.parse(ordered_at))
  const [first, last] = [Math.min(...times), Math.max(...times)]
  const most = Math.max(band?.to_cents ?? 0, ...drawn.map(({ amount_cents }) => amount_cents), 1)
  const x = (ordered_at: string) =>
    SIDE + ((Date.parse(ordered_at) - first) / (last - first || 1)) * (WIDTH - 2 * SIDE)
  // Square root scale, like the scoring: one large order does not flatten the others.
  const y = (cents: number) =>
    HEIGHT - BOTTOM - Math.sqrt(Math.max(0, cents) / most) * (HEIGHT - BOTTOM - SIDE)
  const marked = drawn.find(({ id }) => id === current)
  const summary = describe(band, drawn.length, marked, currency)
  return (
    <figure class={styles['chart']}>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={summary}
        class={styles['plot']}
      >
        {band && (
          <>
            <rect
              class={styles['band']}
              x={0}
              width={WIDTH}
              y={y(band.to_cents)}
              height={Math.max(1, y(band.from_cents) - y(band.to_cents))}
            />
            <line
              class={styles['usual']}
              x1={0}
              x2={WIDTH}
              y1={y(band.usual_cents)}
              y2={y(band.usual_cents)}
            />
          </>
        )}
        {drawn.map((order) => (
          <Dot key={order.id} order={order} x={x(order.ordered_at)} y={y(order.amount_cents)} />
        ))}
        {marked && <Marked order={marked} x={x(marked.ordered_at)} y={y(marked.amount_cents)} />}
      </svg>
      <div class={styles['axis']} aria-hidden="true">
        <span>{dayText(new Date(first))}</span>
        <span>{dayText(new Date(last))}</span>
      </div>
      <figcaption>{summary}</figcaption>
    </figure>
  )
}

const titleOf = ({ amount_cents, currency, ordered_at }: Order): string =>
  `${amountText(amount_cents, currency)}, ${dayText(new Date(ordered_at))}`

function Dot({ order, x, y }: { order: Order; x: number; y: number }) {
  const isRisky = order.risk_score >= REVIEW_SCORE
  return (
    <circle class={styles[isRisky ? 'dot-risky' : 'dot']} cx={x} cy={y} r={3}>
      <title>{titleOf(order)}</title>
    </circle>
  )
}

function Marked({ order, x, y }: { order: Order; x: number; y: number }) {
  return (
    <polygon
      class={styles['marked']}
      points={`${x},${y - 7} ${x + 7},${y} ${x},${y + 7} ${x - 7},${y}`}
    >
      <title>{titleOf(order)}</title>
    </polygon>
  )
}

function describe(
  band: Answer<AmountBand> | undefined,
  count: number,
  marked: Order | undefined,
  currency: string,
): string {
  const usual =
    band && band.orders >= 2
      ? `Usually ${amountText(band.from_cents, currency)} to ${amountText(band.to_cents, currency)}, learned from ${band.orders} orders.`
      : `Too few orders in ${currency} to know the usual range.`
  const shown = `The chart shows ${countText(count, 'orders')}.`
  return marked
    ? `${usual} This order: ${amountText(marked.amount_cents, currency)}. ${shown}`
    : `${usual} ${shown}`
}
