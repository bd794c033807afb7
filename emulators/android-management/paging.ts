/** Pages of a list: 10 items by default, at most 100, the values of most lists of the API. */
import { invalid } from '../google-errors.ts'

const DEFAULT_SIZE = 10
const MAX_SIZE = 100

/** @param items in the order of `seq`, which the page token refers to */
export function pageOf<T extends { seq: number }>(
  items: Iterable<T>,
  query: URLSearchParams,
): { page: T[]; nextPageToken?: string } {
  const size = sizeOf(query)
  const after = afterOf(query)
  const page: T[] = []
  for (const item of items) {
    if (item.seq <= after) continue
    if (page.length === size) {
      const last = page.at(-1)?.seq ?? 0
      return { page, nextPageToken: Buffer.from(`after ${last}`).toString('base64url') }
    }
    page.push(item)
  }
  return { page }
}

function sizeOf(query: URLSearchParams): number {
  const size = Number(query.get('pageSize') ?? 0)
  if (size < 0) throw invalid('Request contains an invalid argument. pageSize is negative')
  return size === 0 ? DEFAULT_SIZE : Math.min(size, MAX_SIZE)
}

function afterOf(query: URLSearchParams): number {
  const token = query.get('pageToken') ?? ''
  if (token === '') return 0
  const [, seq] = /^after (\d+)$/.exec(Buffer.from(token, 'base64url').toString('latin1')) ?? []
  if (seq === undefined) throw invalid('Request contains an invalid argument. Invalid page token')
  return Number(seq)
}
