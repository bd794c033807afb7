/** What is known of a profile, as pictures: what it pays, when, with which devices and methods. */
import type {
  OrderListItem,
  ProfileBehaviour,
} from '../../../../src/modules/orders/reading/schema.ts'
import type { Answer } from '../../api/client.ts'
import { Badge } from '../badge.tsx'
import { Facts } from '../facts.tsx'
import { numberText, percentText } from '../format.ts'
import { Time } from '../time.tsx'
import { AmountPicture } from './amount-picture.tsx'
import { HoursPicture } from './hours-picture.tsx'
import styles from './pictures.module.css'

type Order = Answer<OrderListItem>

export type BehaviourPicturesProps = {
  behaviour: Answer<ProfileBehaviour>
  /** Orders of the profile, the marked one too. */
  orders: readonly Order[]
  /** The order that is looked at. */
  current?: Order | undefined
}

export function BehaviourPictures({ behaviour, orders, current }: BehaviourPicturesProps) {
  const { amounts, hours } = behaviour
  const currencies = current
    ? [current.currency]
    : [
        ...new Set([
          ...amounts.map(({ currency }) => currency),
          ...orders.map((one) => one.currency),
        ]),
      ]
  return (
    <div class={styles['pictures']}>
      {currencies.map((currency) => (
        <div key={currency}>
          <h3>Amounts in {currency}</h3>
          <AmountPicture
            currency={currency}
            band={amounts.find((band) => band.currency === currency)}
            orders={orders}
            current={current?.id}
          />
        </div>
      ))}
      <div>
        <h3>Hours of the day</h3>
        <HoursPicture hours={hours} current={current?.local_hour} />
      </div>
      <div>
        <h3>Devices</h3>
        <Devices devices={behaviour.devices} current={current?.fingerprint_hash ?? null} />
      </div>
      <div>
        <h3>Payment methods</h3>
        <Payments payments={behaviour.payments} current={current?.payment_method ?? null} />
      </div>
      <div>
        <h3>Orders lately</h3>
        <Velocity velocity={behaviour.velocity} />
      </div>
    </div>
  )
}

type Devices = BehaviourPicturesProps['behaviour']['devices']

function Devices({ devices, current }: { devices: Devices; current: string | null }) {
  const isNew = current !== null && devices.known.every((one) => one.fingerprint_hash !== current)
  return (
    <>
      <ul class={styles['list']}>
        {isNew && (
          <li>
            <code>{current}</code> <Badge tone="warn">this order, not one of the profile</Badge>
          </li>
        )}
        {devices.known.map(({ fingerprint_hash, first_seen_at }, index) => (
          <li key={`${first_seen_at} ${fingerprint_hash ?? index}`}>
            {fingerprint_hash === null ? (
              <span class="muted">A device of none of the orders shown</span>
            ) : (
              <code>{fingerprint_hash}</code>
            )}
            , since <Time at={first_seen_at} as="day" />{' '}
            {fingerprint_hash !== null && fingerprint_hash === current && (
              <Badge tone="info">this order</Badge>
            )}
          </li>
        ))}
      </ul>
      {devices.known.length === 0 && <p class="muted">No device is known.</p>}
      {devices.count > devices.known.length && (
        <p class="muted">{devices.count - devices.known.length} older ones are no longer kept.</p>
      )}
    </>
  )
}

type Payments = BehaviourPicturesProps['behaviour']['payments']

function Payments({ payments, current }: { payments: Payments; current: string | null }) {
  if (payments.methods.length === 0) return <p class="muted">No payment method is known.</p>
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

function Velocity({ velocity }: { velocity: BehaviourPicturesProps['behaviour']['velocity'] }) {
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
      <p class="muted">Counts fade: an order counts half after each of these times.</p>
    </>
  )
}

type Places = BehaviourPicturesProps['behaviour']['places']

/** Countries in a line. */
export function Countries({ countries }: { countries: Places['countries'] }) {
  if (countries.length === 0) return null
  const words = countries.map(
    ({ country, share }) => `${countryName(country)} ${percentText(share, 0)}`,
  )
  return <p>Countries of its orders: {words.join(', ')}.</p>
}

/** Codes by their names; what is none stays as it was told. */
function countryName(country: string): string {
  if (!/^[A-Z]{2}$/.test(country)) return country
  return new Intl.DisplayNames(undefined, { type: 'region' }).of(country) ?? country
}
