/** The form in which a valid request is stored and compared with repetitions. */
import { createKnownMembers } from '../../platform/http/known-members.ts'
import type { OrderRequest } from './schema.ts'

/** @param schema the schema of requests, which lists the members that are stored */
export function storedForm(schema: object): (order: OrderRequest) => OrderRequest {
  const knownMembers = createKnownMembers(schema)
  return (order) => withCurrency(knownMembers(order))
}

/** Currencies are stored in upper case, so a repetition in lower case is the same order. */
const withCurrency = (order: OrderRequest): OrderRequest =>
  order.currency === undefined ? order : { ...order, currency: order.currency.toUpperCase() }
