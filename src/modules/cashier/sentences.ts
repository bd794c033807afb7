/** Sentences for the findings about cashier actions, with their numbers. */
type Numbers = Readonly<Record<string, number | string>>

/** @returns one sentence, or the name of an unknown finding with its numbers */
export function cashierSentence(finding: string, numbers: Numbers): string {
  const [, kind, comparison] = /^(.*)_(rate|change)$/.exec(finding) ?? []
  const what = kind === undefined ? undefined : KINDS.get(kind)
  if (what !== undefined) {
    return comparison === 'rate' ? rateSentence(what, numbers) : changeSentence(what, numbers)
  }
  return SENTENCES.get(finding)?.(numbers) ?? plainSentence(finding, numbers)
}

const KINDS = new Map([
  ['void', 'voids'],
  ['refund', 'refunds'],
  ['override', 'discount and price overrides'],
  ['drawer', 'drawer openings without a sale'],
  ['discounted_sale', 'sales with a discount at the discretion of the cashier'],
  ['void_after_cash', 'voids right after a cash sale'],
  ['drawer_after_void', 'drawer openings right after a void'],
  ['pickup', 'cash pickups'],
  ['unmatched_round', 'round refunds that no order explains'],
])

function rateSentence(what: string, numbers: Numbers): string {
  const { share, transactions, peers, peers_share, half_life_hours } = numbers
  const usual = usualText(peers, peers_share)
  const within = `half-life ${halfLifeText(half_life_hours)}`
  return `${capitalized(what)}: ${percentText(share)} of about ${wholeText(transactions)} transactions, where ${usual} (${within})`
}

function changeSentence(what: string, numbers: Numbers): string {
  const { share, share_before, peers, peers_share } = numbers
  const usual = usualText(peers, peers_share)
  return `${capitalized(what)}: ${percentText(share)} of the transactions of the last days, ${percentText(share_before)} before; ${usual}`
}

const SENTENCES = new Map<string, (numbers: Numbers) => string>([
  [
    'burst_of_actions',
    ({ count, window_minutes }) => `${count} sensitive actions within ${window_minutes} minutes`,
  ],
  ['void_after_cash', ({ seconds }) => `A void ${wholeText(seconds)} seconds after a cash sale`],
  [
    'drawer_after_void',
    ({ seconds }) => `The drawer was opened ${wholeText(seconds)} seconds after a void`,
  ],
  [
    'own_pickup',
    ({ share, peers, peers_share }) =>
      `A cashier who rings up sales took out cash: ${percentText(share)} of the transactions, where ${usualText(peers, peers_share)}`,
  ],
  ...(
    [
      ['no_order', 'no order was named'],
      ['unknown_order', 'the named order is unknown'],
      ['more_than_order', 'the refunds exceed the amount of the order'],
      ['order_of_another', 'another cashier rang up the order'],
      ['old_order', 'the order is too old for a return'],
    ] as const
  ).map(
    ([mismatch, why]) =>
      [
        `round_refund_${mismatch}`,
        ({ amount_cents, currency, round_share_of_sales }: Numbers) =>
          `A refund of the round amount ${amountText(amount_cents, currency)}: ${why}. ${percentText(round_share_of_sales)} of sales have an equally round amount`,
      ] as const,
  ),
  [
    'refund_of_unknown_order',
    ({ amount_cents }) =>
      `${amountText(amount_cents, undefined)} were refunded for an order that was never sent`,
  ],
  [
    'openings_without_sales',
    ({ openings }) => `The drawer was opened about ${openings} times within a shift without a sale`,
  ],
  [
    'refunded_more_than_paid',
    ({ refunded_cents, order_amount_cents }) =>
      `${amountText(refunded_cents, undefined)} were refunded for an order of ${amountText(order_amount_cents, undefined)}`,
  ],
  [
    'override_size',
    ({ ratio }) =>
      `Overrides give away ${wholeText(ratio)} times as much per sale as those of the peers`,
  ],
  [
    'one_customer',
    ({ discounted_sales_to_customer, discounted_sales }) =>
      `${wholeText(discounted_sales_to_customer)} of about ${wholeText(discounted_sales)} discounted sales went to one customer`,
  ],
  [
    'off_shift',
    ({ minutes_since_shift }) => `${durationText(minutes_since_shift)} after the shift`,
  ],
  [
    'forgotten_shift_start',
    ({ minutes_since_shift, sales_since_shift }) =>
      `${durationText(minutes_since_shift)} after the shift, but with ${wholeText(sales_since_shift)} sales since: the start of the next shift was probably not sent`,
  ],
  [
    'shifts_rarely_sent',
    ({ minutes_since_shift, peers_share }) =>
      `${durationText(minutes_since_shift)} after the shift, but ${percentText(peers_share)} of the actions of peers are off shift, too: shift events are probably missing there`,
  ],
  [
    'unusual_hour',
    ({ local_hour, events_at_hour, events }) =>
      `At ${local_hour} o’clock, an hour with ${wholeText(events_at_hour)} of ${wholeText(events)} events of the cashier`,
  ],
])

function plainSentence(finding: string, numbers: Numbers): string {
  const values = Object.entries(numbers).map(([name, value]) => `${name} ${value}`)
  const text = capitalized(finding.replaceAll('_', ' '))
  return values.length === 0 ? text : `${text} (${values.join(', ')})`
}

function halfLifeText(half_life_hours: number | string | undefined): string {
  const hours = Number(half_life_hours)
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`
}

function usualText(
  peers: number | string | undefined,
  peers_share: number | string | undefined,
): string {
  const usual = `${percentText(peers_share)} is usual`
  if (Number(peers) === 0) return `${usual} at other locations and in general`
  return Number(peers) === 1 ? `${usual} for 1 peer` : `${usual} for ${peers} peers`
}

const percentText = (share: number | string | undefined): string =>
  `${Number((Number(share ?? 0) * 100).toPrecision(2))}%`

const wholeText = (value: number | string | undefined): string => {
  const number = Number(value ?? 0)
  return String(Number(number < 10 ? number.toFixed(1) : number.toFixed(0)))
}

const durationText = (minutes: number | string | undefined): string => {
  const whole = Math.round(Number(minutes ?? 0))
  return whole < 120 ? `${whole} minutes` : `${Math.round(whole / 60)} hours`
}

/** In minor units, because not every currency has a hundred of them. */
const amountText = (
  cents: number | string | undefined,
  currency: number | string | undefined,
): string => `${cents} minor units${currency === undefined ? '' : ` (${currency})`}`

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
