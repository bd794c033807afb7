import type {
  OrderListItem,
  ProfileBehavior,
} from '../../../../src/modules/orders/reading/schema.ts'
import type { Answer } from '../../api/client.ts'
import { Badge } from '../badge.tsx'
import { Facts } from '../facts.tsx'
import { numberText, percentText } from '../format.ts'
import { Time } from '../time.tsx'
import { AmountChart } from './amount-chart.tsx'
import styles from './charts.module.css'
import { HoursChart } from './hours-chart.tsx'

type Order = Answer<OrderListItem>

export type BehaviorChartsProps = {
  behavior: Answer<ProfileBehavior>
  /** Orders of the profile, including the current one. */
  orders: readonly Order[]
  /** The order to highlight. */
  current?: Order | undefined
}

export function BehaviorCharts({ behavior, orders, current }: BehaviorChartsProps) {
  const { amounts, hours } = behavior
  const currencies = current
    ? [current.currency]
    : [
        ...new Set([
          ...amounts.map(({ currency }) => currency),
          ...orders.map((one) => one.currency),
        ]),
      ]
  return (
    <div class={styles['charts']}>
      {currencies.map((currency) => (
        <div key={currency}>
          <h3>Amounts in {currency}</h3>
          <AmountChart
            currency={currency}
            band={amounts.find((band) => band.currency === currency)}
            orders={orders}
            current={current?.id}
          />
        </div>
      ))}
      <div>
        <h3>Hours of the day</h3>
        <HoursChart hours={hours} current={current?.local_hour} />
      </div>
      <div>
        <h3>Devices</h3>
        <Devices devices={behavior.devices} current={current?.fingerprint_hash ?? null} />
      </div>
      <div>
        <h3>Payment methods</h3>
        <Payments payments={behavior.payments} current={current?.payment_method ?? null} />
      </div>
      <div>
        <h3>Recent orders</h3>
        <Velocity velocity={behavior.velocity} />
      </div>
    </div>
  )
}

type Devices = BehaviorChartsProps['behavior']['devices']

function Devices({ devices, current }: { devices: Devices; current: string | null }) {
  const isNew = current !== null && devices.known.every((one) => one.fingerprint_hash !== current)
  return (
    <>
      <ul class={styles['list']}>
        {isNew && (
          <li>
            <code>{current}</code> <Badge tone="warn">this order, new for the profile</Badge>
          </li>
        )}
        {devices.known.map(({ fingerprint_hash, first_seen_at }, index) => (
          <li key={`${first_seen_at} ${fingerprint_hash ?? index}`}>
            {fingerprint_hash === null ? (
              <span class="muted">Device without an order in this list</span>
            ) : (
              <code>{fingerprint_hash}</code>
            )}
            , first seen <Time at={first_seen_at} as="day" />{' '}
            {fingerprint_hash !== null && fingerprint_hash === current && (
              <Badge tone="info">this order</Badge>
            )}
          </li>
        ))}
      </ul>
      {devices.known.length === 0 && <p class="muted">No known devices.</p>}
      {devices.count > devices.known.length && (
        <p class="muted">
          {devices.count - devices.known.length} older devices are no longer stored.
        </p>
      )}
    </>
  )
}

type Payments = BehaviorChartsProps['behavior']['payments']

function Payments({ payments, current }: { payments: Payments; current: string | null }) {
  if (payments.methods.length === 0) return <p class="muted">No known payment methods.</p>
  return (
    <ul class={styles['list']}>
      {payments.methods.map(({ method, used_at }, index) => (
        <li key={method}>
          {method}, last used <Time at={used_at} as="day" />
          {index === 0 && payments.run > 1 && `, ${payments.run} orders in a row`}{' '}
          {method === current && <Badge tone="info">this order</Badge>}
        </li>
      ))}
    </ul>
  )
}

function Velocity({ velocity }: { velocity: BehaviorChartsProps['behavior']['velocity'] }) {
  const { minutes, hour, day, week } = velocity
  const text = (count: number) => numberText(count, { digits: 1 })
  return (
    <>
      <Facts
        facts={[
          ['5 minutes', text(minutes)],
          ['Hour', text(hour)],
          ['Day', text(day)],
          ['Week', text(week)],
        ]}
      />
      <p class="muted">Counts decay: an order counts half after each of these periods.</p>
    </>
  )
}

type Places = BehaviorChartsProps['behavior']['places']

export function Countries({ countries }: { countries: Places['countries'] }) {
  if (countries.length === 0) return null
  const names = countries.map(
    ({ country, share }) => `${countryName(country)} ${percentText(share, 0)}`,
  )
  return <p>Countries of the orders: {names.join(', ')}.</p>
}

/** English name of a country code; other text stays unchanged. */
function countryName(country: string): string {
  if (!/^[A-Z]{2}$/.test(country)) return country
  return new Intl.DisplayNames('en', { type: 'region' }).of(country) ?? country
}
