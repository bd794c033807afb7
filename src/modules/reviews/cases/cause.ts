/**
 * The rule that decides which case a review joins: the open case of its strongest cause that has one, or a
 * new case of its strongest cause. Pure.
 */

/** What reviews can have in common, from the one that says most about who is behind to the one that says least. */
export const CAUSE_KINDS = [
  'device',
  'profile',
  'cashier',
  'address',
  'terminal',
  'store',
  'payment',
  'pattern',
  'order',
] as const
export type CauseKind = (typeof CAUSE_KINDS)[number]

/** Values by kind. An unknown one is undefined. */
export type Identities = Readonly<Partial<Record<CauseKind, string | undefined>>>

type Measured = Readonly<{
  finding: string | null
  score: number
  numbers: Readonly<Record<string, number | string>>
}>

/** Findings about something else than the customer. */
const KIND_OF_FINDING: Readonly<Record<string, CauseKind>> = {
  shared_device: 'device',
  flagged_device: 'device',
  recent_frauds_on_device: 'device',
  undecided_fraud_on_device: 'device',
  shared_ip: 'address',
  first_order_by_crypto: 'payment',
  total_mismatch: 'pattern',
  line_mismatch: 'pattern',
  huge_quantity: 'pattern',
}

const KIND_OF_KEY: Readonly<Record<string, CauseKind>> = {
  profile: 'profile',
  device: 'device',
  ip: 'address',
  terminal: 'terminal',
  store: 'store',
}

/**
 * @param id of the order, which is its own cause if nothing else is known
 * @returns causes as `kind:value`, strongest first. The score of a cause is that of the strongest finding
 *   about it. The customer is the last one, because the orders of one customer belong together.
 */
export function causesOfOrder(
  identities: Identities,
  measurements: readonly Measured[],
  id: string,
): string[] {
  const scores = new Map<CauseKind, { score: number; value: string }>()
  for (const measured of measurements) {
    if (measured.finding === null || measured.score <= 0) continue
    const kind = kindOf(measured)
    const value = kind === 'pattern' ? measured.finding : identities[kind]
    if (value === undefined) continue
    if (measured.score > (scores.get(kind)?.score ?? 0)) {
      scores.set(kind, { score: measured.score, value })
    }
  }
  const rank = (kind: CauseKind) => CAUSE_KINDS.indexOf(kind)
  const causes = [...scores]
    .toSorted(([a, { score: one }], [b, { score: other }]) => other - one || rank(a) - rank(b))
    .map(([kind, { value }]) => causeOf(kind, value))
  const { profile, device } = identities
  const last =
    profile !== undefined
      ? causeOf('profile', profile)
      : device !== undefined
        ? causeOf('device', device)
        : undefined
  if (last !== undefined && !causes.includes(last)) causes.push(last)
  return causes.length > 0 ? causes : [causeOf('order', id)]
}

function kindOf({ finding, numbers }: Measured): CauseKind {
  if (finding === 'recent_frauds') return outcomeKind(numbers)
  if (finding === 'shared_reputation') return reputationKind(numbers)
  const key = numbers['key']
  const isVelocity = typeof key === 'string'
  return (
    KIND_OF_FINDING[finding ?? ''] ?? (isVelocity ? (KIND_OF_KEY[key] ?? 'profile') : 'profile')
  )
}

const at = (numbers: Measured['numbers'], name: string): number => Number(numbers[name] ?? 0)

/** Decided frauds are those of the terminal or store, or of the customer. */
const outcomeKind = (numbers: Measured['numbers']): CauseKind =>
  at(numbers, 'terminal_fraud_rate') > at(numbers, 'profile_fraud_rate') ? 'terminal' : 'profile'

function reputationKind(numbers: Measured['numbers']): CauseKind {
  const [profile, device] = [at(numbers, 'profile_reputation'), at(numbers, 'device_reputation')]
  const address = at(numbers, 'ip_reputation')
  if (device >= profile && device >= address) return 'device'
  return profile >= address ? 'profile' : 'address'
}

export const causeOf = (kind: CauseKind, value: string): string => `${kind}:${value}`

export function readCause(cause: string): { kind: CauseKind; value: string } {
  const [kind = '', ...rest] = cause.split(':')
  return { kind: kind as CauseKind, value: rest.join(':') }
}
