/** Identities of records that a list can contain. */
import type { ExplainedCashierAction } from '../../../../src/modules/cashier/reading/schema.ts'
import type { ListKind } from '../../../../src/modules/lists/schema.ts'
import type { OrderDetails } from '../../../../src/modules/orders/reading/schema.ts'
import type { Answer } from '../../api/client.ts'

export type Identity = { kind: ListKind; value: string }

type Known = readonly (readonly [ListKind, string | null | undefined])[]

/** Each one once. A profile that is named by an e-mail address can be listed by it, too. */
export function identitiesOf(known: Known): Identity[] {
  const found = new Map<string, Identity>()
  const add = (kind: ListKind, value: string) => found.set(`${kind} ${value}`, { kind, value })
  for (const [kind, value] of known) {
    if (!value) continue
    add(kind, value)
    if (kind === 'profile' && EMAIL.test(value)) add('email', value)
  }
  return [...found.values()]
}

const EMAIL = /^[^@\s]+@[^@\s.]+(\.[^@\s.]+)+$/

export const knownOfOrder = ({ sent, order }: Answer<OrderDetails>): Known => [
  ['profile', sent.external_id],
  ['device', sent.fingerprint_hash],
  ['ip', sent.ip_hash],
  ['terminal', sent.edge_device_id],
  ['cashier', sent.cashier_external_id],
  ['country', order.country],
]

export const knownOfAction = ({ action }: Pick<ExplainedCashierAction, 'action'>): Known => [
  ['cashier', action.cashier_external_id],
  ['terminal', action.edge_device_id],
]
