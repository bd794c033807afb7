import type { BasketFact, PaymentMethod, PlaceFact } from '../../behavior/index.ts'
import type { ListMatch } from '../../risk/index.ts'

/** Everything known about an order at scoring time, in the form that the rules use. */
export type OrderFacts = BasketFact &
  PlaceFact & {
    /** UUID; undefined for anonymous orders. A profile that the order creates is a customer. */
    profile_id: string | undefined
    /** ISO 4217, upper case */
    currency: string
    payment_method: PaymentMethod | undefined
    location_name: string | undefined
    /** Whether the coordinates contradict the country */
    is_outside_country: boolean
    edge_device_id: string | undefined
    fingerprint_hash: string | undefined
    ip_hash: string | undefined
    cashier_external_id: string | undefined
    /** Submitted time in ms since 1970 */
    ordered_at_ms: number
    /** Local hour at the place of the order, 0-23 */
    local_hour: number
    /** Shared reputation at arrival, 0-100; 0 when nothing is known */
    reputation: { device: number; ip: number; profile: number }
    /** Strongest recent check of the same device, 0-100; 0 for none */
    check_risk: number
    /** Entries of the organization's lists that the order matched at arrival */
    lists: readonly ListMatch[]
  }

export type ItemFacts = BasketFact['items'][number]
