/** Finds orders and profiles by a part of their names or ids. */
import { type Finder, findNamed } from '../../../platform/postgres/name-search.ts'

export const findOrdersByPart: Finder = async (db, search) => {
  const found = await findNamed(db, { table: 'orders', name: 'external_order_id' }, search)
  return found.map(({ id, name }) => ({ name, remark: null, link: `/orders/${id}` }))
}

export const findProfilesByPart: Finder = async (db, search) => {
  const found = await findNamed(db, { table: 'profiles', name: 'external_id' }, search)
  return found.map(({ id, name }) => ({ name, remark: null, link: `/orders/profiles/${id}` }))
}
